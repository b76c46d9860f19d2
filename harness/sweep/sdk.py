"""Cuts and chunks of one stream, read by the official SDK of its format through the replay transport.

What an SDK makes of a stream is its own affair; what is judged is the transport under it: the same bytes in any
chunks, the same ending at the same place.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from agent.jsonio import loads
from harness.recording.contents import Call, Part, Request, Response
from harness.replaying.replay_transport import ReplayTransport
from harness.sweep.cases import Case, Chunks, Cut, Whole
from harness.sweep.decode import Answer, decode
from harness.sweep.plan import chunkings, turn_cuts
from harness.sweep.seen import marked
from harness.sweep.streams import Stream
from harness.sweep.tally import Tally

PACKAGES = {
    "openai-chat": ("openai", "openai"),
    "openai-responses": ("openai", "openai"),
    "anthropic": ("anthropic", "anthropic"),
    "gemini": ("google.genai", "google-genai"),
}
"""The module of each format's SDK, and the package to install."""

_URL = "http://provider.invalid"
_ENDINGS = ("eof", "reset", "timeout")
_PLACES = 60


@dataclass
class SeenSdk:
    """What the SDK gave: chunks as JSON, then the exception that broke it off."""

    chunks: list[str] = field(default_factory=list)
    error: Exception | None = None


@dataclass(frozen=True)
class SdkLaw:
    """`check` is given the case, whether the end mark had come, what the SDK made of the case, and of the whole."""

    name: str
    says: str
    check: Callable[[Case, bool, SeenSdk, SeenSdk], str | None]


def _own_errors(case: Case, marked: bool, seen: SeenSdk, whole: SeenSdk) -> str | None:
    foreign = seen.error is not None and type(seen.error).__module__.partition(".")[0] in ("harness", "agent")
    return f"{type(seen.error).__name__}: {seen.error}" if foreign else None


def _prefix(case: Case, marked: bool, seen: SeenSdk, whole: SeenSdk) -> str | None:
    if seen.chunks == whole.chunks[: len(seen.chunks)]:
        return None
    place = next(at for at, chunk in enumerate(seen.chunks) if chunk != ([*whole.chunks, None])[at])
    return f"chunk {place} is {seen.chunks[place][:120]}, and another one in the whole"


def _broken_off(case: Case, marked: bool, seen: SeenSdk, whole: SeenSdk) -> str | None:
    if not isinstance(case, Cut) or case.end == "eof" or marked or seen.error is not None:
        return None
    return f"{len(seen.chunks)} chunks, and then an end as if nothing had happened"


def _same(case: Case, marked: bool, seen: SeenSdk, whole: SeenSdk) -> str | None:
    if not isinstance(case, Chunks) or (seen.chunks, repr(seen.error)) == (whole.chunks, repr(whole.error)):
        return None
    return f"{len(seen.chunks)} chunks and {seen.error!r}, whole {len(whole.chunks)} and {whole.error!r}"


SDK_LAWS = (
    SdkLaw("sdk-errors", "errors that come out of an SDK are its own or the transport's", _own_errors),
    SdkLaw("sdk-prefix", "what an SDK gives before a cut is a prefix of the whole", _prefix),
    SdkLaw("sdk-end", "a reset or a time-out before the end mark raises in an SDK", _broken_off),
    SdkLaw("sdk-chunks", "re-chunking changes nothing for an SDK", _same),
)


def missing(wire: str) -> str | None:
    """The package to install for the SDK of a format; None where it is installed."""
    module, package = PACKAGES[wire]
    try:
        return None if find_spec(module) is not None else package
    except ModuleNotFoundError:  # not even its parent is there
        return package


def sweep_sdk(stream: Stream, source: random.Random) -> Tally:
    """All laws over cuts and chunks of an event stream."""
    tally = Tally()
    reader = _Reader(stream)
    for case in _cases(stream, source):
        tally.add(stream, case, reader.judge(case))
    return tally


def breaks_sdk(law: str, stream: Stream, case: Case) -> str | None:
    """How one case breaks a law; None where it does not."""
    return dict(_Reader(stream).judge(case)).get(law)


class _Reader:
    """Reads the cases of one stream. The request that is asked for it is the same each time."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._request = _request(stream)
        self._whole = self._read(Whole())

    def judge(self, case: Case) -> Iterator[tuple[str, str | None]]:
        seen = self._whole if isinstance(case, Whole) else self._read(case)
        ended = marked(self._stream, decode(self._stream, case.answer(self._stream)).frames, b"")
        for law in SDK_LAWS:
            yield law.name, law.check(case, ended, seen, self._whole)

    def _read(self, case: Case) -> SeenSdk:
        seen = SeenSdk()
        transport = ReplayTransport([_call(self._request, case.answer(self._stream))])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the SDK, about the stream
            try:
                for chunk in _ask(self._stream.wire, transport):
                    seen.chunks.append(chunk.model_dump_json(exclude={"sdk_http_response"}, warnings=False))
            except Exception as error:
                seen.error = error
        return seen


def _cases(stream: Stream, source: random.Random) -> Iterator[Case]:
    yield Whole()
    yield from chunkings(stream, source)
    places = turn_cuts(stream, source)
    if len(places) > _PLACES:
        places = sorted(source.sample(places, _PLACES))
    for number, (frame, offset) in enumerate(places):
        yield Cut(frame, offset, _ENDINGS[number % len(_ENDINGS)])


def _request(stream: Stream) -> Request:
    """What the SDK asks, so that the replay transport knows the call."""
    found: list[Request] = []

    class Asked(Exception):
        pass

    class Ask:
        def handle_request(self, request: Any) -> Any:
            found.append(Request(request.method, str(request.url), [], loads(request.read()), {"wire": stream.wire}))
            raise Asked

        def close(self) -> None:
            """Nothing is open."""

    try:
        next(iter(_ask(stream.wire, Ask())))
    except Exception:  # the SDK may wrap it
        if not found:
            raise
    return found[0]


def _call(request: Request, answer: Answer) -> Call:
    frames = [Part(chunk, number, 0.0) for number, chunk in enumerate(answer.chunks)]
    response = Response(answer.status, [*answer.headers])
    return Call(0, request, 0.0, response, 0.0, frames, end=answer.end, end_record={"t": 0.0})


def _ask(wire: str, transport: Any) -> Any:
    """Ask the question of a client of the SDK over a transport, and give the stream of its chunks."""
    module = import_module(PACKAGES[wire][0])
    if wire == "gemini":
        http = import_module("httpx").Client(transport=transport)
        options = module.types.HttpOptions(base_url=_URL, httpx_client=http)
        client = module.Client(api_key="none", http_options=options)
        return client.models.generate_content_stream(model="m", contents="go")
    http = module.DefaultHttpxClient(transport=transport)
    messages = [{"role": "user", "content": "go"}]
    if wire == "anthropic":
        client = module.Anthropic(api_key="none", base_url=_URL, http_client=http, max_retries=0)
        return client.messages.create(model="m", max_tokens=1, messages=messages, stream=True)
    client = module.OpenAI(api_key="none", base_url=f"{_URL}/v1", http_client=http, max_retries=0)
    if wire == "openai-chat":
        return client.chat.completions.create(model="m", messages=messages, stream=True)
    return client.responses.create(model="m", input="go", stream=True)
