"""The records of a recording as models: what strict reading checks and what the JSON Schema is made of.

Unknown fields are allowed everywhere, so that a field can be added without a new format version.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from agent.events import ErrorKind, StopReason

Count: TypeAlias = Annotated[int, Field(ge=0, strict=True)]
Seconds: TypeAlias = Annotated[float, Field(ge=0)]
Pair: TypeAlias = Annotated[list[str], Field(min_length=2, max_length=2)]
Status: TypeAlias = Annotated[int, Field(ge=100, le=999, strict=True)]


def optional(description: str | None = None) -> Any:
    """A field that may be absent. It is never null, so the schema does not offer that."""
    return Field(default=None, description=description, json_schema_extra=_drop_default)


def _drop_default(schema: dict[str, Any]) -> None:
    schema.pop("default", None)


def _one_of(*names: str) -> dict[str, Any]:
    return {"oneOf": [{"required": [name]} for name in names]}


class Model(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)


class _Record(Model):
    seq: Count = Field(description="Number of the record in the file, from 0; a gap means that records were lost.")
    t: Seconds = Field(description="Seconds since the recording began, from a monotonic clock.")


class _OfCall(_Record):
    call: Count = Field(description="Number of the call in the recording, from 0.")


class _OfTurn(_Record):
    turn: Count = Field(description="Number of the turn in the recording, from 0.")


class By(Model):
    name: str
    version: str


class Redaction(Model):
    rules: list[str] = Field(description="Names of the rules that were in force.")


class Header(_Record):
    kind: Literal["header"]
    format: Literal["trajectory"]
    version: Annotated[int, Field(ge=1, strict=True)] = Field(description="Version of the format, not of the program.")
    id: str = Field(min_length=1, description="Unique id of the recording.")
    started_at: str = Field(json_schema_extra={"format": "date-time"}, description="RFC 3339 time at which `t` is 0.")
    by: By = Field(description="The program that wrote the file.")
    source: str = Field(description="Where the bytes came from: `live`, `scripted`, `replay` or `import:NAME`.")
    task: str = optional("Name of the task, by which recordings are aligned.")
    tags: list[str]
    redaction: Redaction
    normalizers: list[str] = Field(description="Names of the normalizers that matching applies.")


class Turn(_OfTurn):
    model_config = ConfigDict(json_schema_extra=_one_of("history", "same"))

    kind: Literal["turn"]
    input: str
    history: list[dict[str, Any]] = optional("The messages before the input, oldest first.")
    same: dict[str, Any] = optional("The history, as parts of those of earlier turns and new messages.")
    mode: str
    provider: str
    model: str
    base_url: str | None = optional("Where calls went, where it was not the provider's own place.")
    system: str | None
    tools: list[dict[str, Any]] = Field(description="The tools offered: `name`, `description`, `parameters`.")
    params: dict[str, Any] = Field(description="Sampling and other parameters given to the provider.")
    limits: dict[str, Any]
    tool_modes: dict[str, list[str]] = optional("In which modes each tool exists, for the answer to a refused call.")

    @model_validator(mode="after")
    def _one_history(self) -> Turn:
        if ("history" in self.model_fields_set) == ("history" in (self.same or ())):
            raise ValueError("exactly one of history and same.history is needed")
        return self


class Request(_OfCall):
    model_config = ConfigDict(json_schema_extra=_one_of("body", "text", "b64"))

    kind: Literal["request"]
    turn: Count = optional()
    retry_of: Count = optional("The call that this one tries again.")
    wire: str | None = Field(description="Wire format, by which the frames are decoded; null where it is unknown.")
    decode: dict[str, Any] = Field(description="Options of the decoder; `{}` for none.")
    provider: str = optional()
    model: str = optional()
    method: str
    url: str = Field(description="Without the query parameters that carry keys.")
    headers: list[Pair] = Field(description="The headers of the allow-list, in order.")
    body: Any = optional("The JSON body; the keys in `same` are left out of it.")
    text: str = optional("A body that JSON would not rebuild, as text; empty for no body.")
    b64: str = optional("A body that is not UTF-8, in base64.")
    same: dict[str, Any] = optional("Body keys taken from earlier calls.")
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    size: Count = Field(description="Bytes of the body as it was sent, after redaction.")

    @model_validator(mode="after")
    def _one_body(self) -> Request:
        given = [name for name in ("body", "text", "b64") if name in self.model_fields_set]
        if len(given) != 1:
            raise ValueError(f"exactly one of body, text and b64 is needed, not {' and '.join(given) or 'none'}")
        if self.same is not None and not isinstance(self.body, dict):
            raise ValueError("same needs a body that is an object")
        return self


class Response(_OfCall):
    kind: Literal["response"]
    status: Status
    headers: list[Pair]
    encoding: str = optional("Content coding that was undone before recording.")


class _Bytes(_OfCall):
    model_config = ConfigDict(json_schema_extra=_one_of("raw", "raw_b64"))

    i: Count = Field(description="Number among the records of this kind and call, from 0.")
    raw: str = optional("The bytes, where they are UTF-8.")
    raw_b64: str = optional("The bytes in base64, where they are not.")

    @model_validator(mode="after")
    def _one_form(self) -> _Bytes:
        if ("raw" in self.model_fields_set) == ("raw_b64" in self.model_fields_set):
            raise ValueError("exactly one of raw and raw_b64 is needed")
        return self


class Frame(_Bytes):
    kind: Literal["frame"]
    cuts: list[Count] = optional("Offsets at which a network chunk ended.")
    cut_t: list[Seconds] = optional("Times of the cuts before the frame's last byte.")
    unterminated: bool = optional("The stream ended inside this frame.")


class Body(_Bytes):
    kind: Literal["body"]


class TextEvent(Model):
    type: Literal["text", "reasoning"]
    text: str
    opaque: Any = optional()


class ToolCallEvent(Model):
    type: Literal["tool_call"]
    id: str
    name: str
    input: dict[str, Any]
    unparsed: bool = optional()
    synthetic_id: bool = optional()
    opaque: Any = optional()


class UsageCounts(Model):
    """Input and output are inclusive totals, the rest are parts of them; null is unknown."""

    input_tokens: Count | None
    output_tokens: Count | None
    cache_read_tokens: Count | None
    cache_write_tokens: Count | None
    cache_write_1h_tokens: Count | None
    reasoning_tokens: Count | None
    provider_tools: dict[str, Count] = optional()


class UsageEvent(Model):
    type: Literal["usage"]
    usage: UsageCounts | None
    model: str | None
    stop_reason: StopReason
    stop_reason_raw: str | None
    complete: bool


class ErrorEvent(Model):
    type: Literal["error"]
    message: str
    kind: ErrorKind
    retryable: bool
    hint: str = optional()
    status: int = optional()
    retry_after: float = optional()


AnyEvent: TypeAlias = Annotated[TextEvent | ToolCallEvent | UsageEvent | ErrorEvent, Field(discriminator="type")]


class Event(_OfCall):
    kind: Literal["event"]
    frame: Count | None = Field(description="`i` of the frame it came from; null from the end of the response.")
    event: AnyEvent


class EndError(Model):
    class_: str | None = Field(alias="class", description="Name of the exception's class.")
    message: str


class CallEnd(_OfCall):
    kind: Literal["call_end"]
    end: Literal["eof", "closed", "error"]
    error: EndError = optional()
    bytes: Count = Field(description="Bytes of the response body, after content-decoding and redaction.")
    malformed: Count = optional("Payloads that were no JSON object; skipped.")
    unknown: dict[str, Count] = optional("Event types that no rule knows, with their number.")


class ToolResult(_OfTurn):
    kind: Literal["tool_result"]
    call: Count = Field(description="The call whose response asked for the tool.")
    position: Count = Field(description="Position of the tool call in that response, from 0.")
    id: str
    name: str
    ok: bool
    output: str
    given: str = optional("What the loop handed to the model, where it cut an output that holds secrets.")
    duration: Seconds = Field(description="Seconds that the tool took.")


class Loop(_OfTurn):
    kind: Literal["loop"]
    event: Literal["finish", "error", "notice", "done", "cancelled"] = Field(
        description="A loop event; `cancelled` stands where the reader left early."
    )
    data: dict[str, Any]


class Resume(_Record):
    kind: Literal["resume"]
    started_at: str = Field(json_schema_extra={"format": "date-time"})


class End(_Record):
    kind: Literal["end"]
    status: Literal["ok", "error", "cancelled"]
    calls: Count
    turns: Count
    usage: dict[str, UsageCounts] = Field(description="Token counts by model, summed over the calls.")
    tool_calls: dict[str, Count] = Field(description="Number of tool calls by tool name.")
    errors: Count = Field(description="Number of `error` events.")


AnyRecord: TypeAlias = Annotated[
    Header | Turn | Request | Response | Frame | Body | Event | CallEnd | ToolResult | Loop | Resume | End,
    Field(discriminator="kind"),
]


@cache
def adapter() -> TypeAdapter[Any]:
    return TypeAdapter(AnyRecord)


def check(record: dict[str, Any]) -> None:
    """Raises `ValueError` with one line that names the first wrong field."""
    try:
        adapter().validate_python(record)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        raise ValueError(f"{place}: {message}" if place else message) from None
