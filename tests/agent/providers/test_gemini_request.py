from __future__ import annotations

from typing import Any

import pytest

from agent import messages as say
from agent.events import Error, Reasoning, Text, ToolCall, UsageEvent
from agent.jsonio import dumps, loads
from agent.messages import Message, ToolSpec
from agent.providers import adapter
from agent.providers.base import Target, WireRequest
from agent.providers.gemini_request import contents
from tests.agent.providers.streams import run
from tests.agent.providers.test_fixtures import ROOT

TARGET = Target(
    "gemini",
    "gemini",
    "https://generativelanguage.googleapis.com/v1beta",
    "k-123",
    headers=(("x-goog-user-project", "p"),),
)
READ = ToolSpec(
    "read", "Read a file", {"type": "object", "properties": {"p": {"$ref": "#/$defs/p"}}, "$defs": {"p": {}}}
)
SIGNED = {"thoughtSignature": "c2ln"}


def request(*history: Message, target: Target = TARGET, **kind: Any) -> WireRequest:
    return adapter("gemini").request(target, **{"model": "gemini-2.5-flash", "messages": history, **kind})


def model(*parts: Any, wire: str = "gemini") -> Message:
    return say.assistant(parts, wire)


def test_a_streamed_request() -> None:
    made = request(say.user("Hi"), system="Be brief.", tools=[READ], params={"max_tokens": 5})
    assert made.method == "POST"
    assert made.url == (
        "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
    )
    assert made.headers == (
        ("content-type", "application/json"),
        ("x-goog-api-key", "k-123"),
        ("x-goog-user-project", "p"),
    )
    assert made.body == {
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "tools": [
            {
                "functionDeclarations": [
                    {"name": "read", "description": "Read a file", "parametersJsonSchema": READ.parameters}
                ]
            }
        ],
        "generationConfig": {"maxOutputTokens": 5},
    }


def test_a_request_that_is_not_streamed() -> None:
    made = request(say.user("Hi"), stream=False)
    assert made.url.endswith("/models/gemini-2.5-flash:generateContent")
    assert made.body == {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}


def test_the_key_stands_in_no_url_and_may_be_absent() -> None:
    assert "k-123" not in request(say.user("Hi")).url
    keyless = Target("local", "gemini", "http://127.0.0.1:9/gemini")
    assert request(say.user("Hi"), target=keyless).headers == (("content-type", "application/json"),)


def test_headers_of_the_row_win() -> None:
    row = Target("mine", "gemini", "http://127.0.0.1:9/v1beta", "k", headers=(("X-Goog-Api-Key", "other"),))
    assert request(say.user("Hi"), target=row).headers == (
        ("content-type", "application/json"),
        ("X-Goog-Api-Key", "other"),
    )


def test_a_tool_without_parameters_takes_an_object() -> None:
    tool = request(tools=[ToolSpec("now", "The time", {})]).body["tools"][0]["functionDeclarations"][0]
    assert tool["parametersJsonSchema"] == {"type": "object"}


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("gemini-2.5-flash", "models/gemini-2.5-flash"),
        ("models/gemini-2.5-flash", "models/gemini-2.5-flash"),
        ("tunedModels/mine", "tunedModels/mine"),
        ("a?key=b#c", "models/a%3Fkey%3Db%23c"),
    ],
)
def test_model_paths(name: str, path: str) -> None:
    assert request(model=name, stream=False).url == f"{TARGET.base_url}/{path}:generateContent"


def test_system_messages_join_unless_one_is_given() -> None:
    history = (say.system("One."), say.user("Hi"), say.note("local"), say.system(""), say.system("Two."))
    made = request(*history)
    assert made.body["systemInstruction"] == {"parts": [{"text": "One.\n\nTwo."}]}
    assert made.body["contents"] == [{"role": "user", "parts": [{"text": "Hi"}]}]
    assert request(*history, system="Mine.").body["systemInstruction"] == {"parts": [{"text": "Mine."}]}
    assert "systemInstruction" not in request(say.user("Hi")).body


def test_consecutive_results_share_one_content() -> None:
    first = ToolCall("call_0_0", "read", {"p": "a"}, synthetic_id=True, opaque=SIGNED)
    second = ToolCall("srv-1", "list", {"_raw": '{"p": "b'}, unparsed=True)
    history = (
        say.user("Go"),
        model(Text("Reading."), first, second),
        say.tool_result(first, "alpha"),
        say.note("a local remark"),
        say.tool_result(second, "no such folder", ok=False),
        say.user("And now?"),
    )
    assert contents(history)[1:] == [
        {
            "role": "model",
            "parts": [
                {"text": "Reading."},
                {"functionCall": {"name": "read", "args": {"p": "a"}}, "thoughtSignature": "c2ln"},
                {"functionCall": {"id": "srv-1", "name": "list", "args": {"_raw": '{"p": "b'}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"name": "read", "response": {"output": "alpha"}}},
                {"functionResponse": {"id": "srv-1", "name": "list", "response": {"error": "no such folder"}}},
            ],
        },
        {"role": "user", "parts": [{"text": "And now?"}]},
    ]


CODE = {"executableCode": {"language": "PYTHON", "code": "1"}, "thoughtSignature": "c2ln"}


@pytest.mark.parametrize(
    ("part", "sent"),
    [
        (Text("a"), {"text": "a"}),
        (Text("a", SIGNED), {"text": "a", **SIGNED}),
        (Text("", SIGNED), {"text": "", **SIGNED}),
        (Reasoning("think"), None),
        (Reasoning("think", SIGNED), {"text": "think", "thought": True, **SIGNED}),
        (Reasoning("", SIGNED), {"text": "", "thought": True, **SIGNED}),
        (Reasoning("", CODE), CODE),
        (Reasoning("", "odd"), None),
        (ToolCall("i", "f", {}, opaque=SIGNED), {"functionCall": {"id": "i", "name": "f", "args": {}}, **SIGNED}),
    ],
)
def test_parts_go_back_with_their_own_signature(part: Any, sent: dict[str, Any] | None) -> None:
    made = contents([model(Text("x"), Reasoning("", CODE), part)])
    assert made[0]["parts"][2:] == ([] if sent is None else [sent])


def test_opaque_data_of_another_format_stays_here() -> None:
    other = model(
        Reasoning("", {"type": "redacted_thinking"}),
        Text("a", SIGNED),
        ToolCall("i", "f", {}, opaque=SIGNED),
        wire="anthropic",
    )
    assert contents([other]) == [
        {"role": "model", "parts": [{"text": "a"}, {"functionCall": {"id": "i", "name": "f", "args": {}}}]}
    ]


def test_a_turn_with_nothing_to_send_is_left_out() -> None:
    assert contents([model(), model(Reasoning("hm")), say.user("Hi")]) == [{"role": "user", "parts": [{"text": "Hi"}]}]


def test_params() -> None:
    made = request(
        say.user("Hi"),
        params={
            "max_tokens": 9, "temperature": 0.2, "top_p": 0.9, "top_k": 3, "stop": "END", "seed": 1, "n": 1,
            "presence_penalty": None, "responseMimeType": "application/json", "thinking_config": {"thinkingBudget": 0},
            "tool_config": {"functionCallingConfig": {"mode": "ANY"}}, "generationConfig": {"logprobs": 2},
            "tools": [{"googleSearch": {}}],
        },
        tools=[READ],
    ).body  # fmt: skip
    assert made["generationConfig"] == {
        "maxOutputTokens": 9, "temperature": 0.2, "topP": 0.9, "topK": 3, "stopSequences": ["END"], "seed": 1,
        "candidateCount": 1, "responseMimeType": "application/json", "thinkingConfig": {"thinkingBudget": 0},
        "logprobs": 2,
    }  # fmt: skip
    assert made["toolConfig"] == {"functionCallingConfig": {"mode": "ANY"}}
    assert [list(tool) for tool in made["tools"]] == [["functionDeclarations"], ["googleSearch"]]
    assert request(say.user("Hi"), params={"stop": ["a", "b"]}).body["generationConfig"] == {
        "stopSequences": ["a", "b"]
    }


def sent_parts(path: Any) -> list[dict[str, Any]]:
    """The parts of candidate 0 that a fixture sent, without empty and plain thought parts."""
    found = []
    for line in path.read_bytes().splitlines():
        if line.startswith(b"data: "):
            for candidate in loads(line[6:]).get("candidates", []):
                found += candidate.get("content", {}).get("parts", [])
    return [part for part in found if part.get("text") != "" or len(part) > 1]


@pytest.mark.parametrize("name", ["tool-call", "thought-signed", "code-execution", "media-and-unknown"])
def test_what_came_goes_back_part_by_part(name: str) -> None:
    path = ROOT / "gemini" / f"{name}.sse"
    events = [event for event in run("gemini", path.read_bytes()) if not isinstance(event, Error | UsageEvent)]
    assert contents([model(*events)]) == [{"role": "model", "parts": sent_parts(path)}]


def test_a_history_with_every_kind_of_part_can_be_written() -> None:
    events = [event for path in (ROOT / "gemini").glob("*.sse") for event in run("gemini", path.read_bytes())]
    assert loads(dumps(request(say.user("\ud83e"), say.assistant(events, "gemini")).body))


FOREIGN = ToolCall("c1", "look", {"q": "x"})
OWN = ToolCall("c2", "look", {"q": "y"}, opaque=SIGNED)
DUMMY = "skip_thought_signature_validator"


def signatures(name: str, *history: Message) -> list[list[str | None]]:
    """Of the calls, by message of the model."""
    shaped = adapter("gemini").request(TARGET, model=name, messages=history).body["contents"]
    return [
        [part.get("thoughtSignature") for part in content["parts"] if "functionCall" in part]
        for content in shaped
        if content["role"] == "model"
    ]


@pytest.mark.parametrize(
    ("name", "insists"),
    [
        ("gemini-3-pro-preview", True), ("gemini-3.5-flash", True), ("gemini-flash-latest", True),
        ("models/gemini-3.1-pro", True), ("gemini-4-pro", True), ("gemini-2.5-flash", False),
        ("gemini-1.5-pro", False), ("gemma-3-27b-it", False),
    ],
)  # fmt: skip
def test_calls_of_another_model_in_the_turn_that_goes_on(name: str, insists: bool) -> None:
    step = (model(FOREIGN, FOREIGN, wire="openai-chat"), say.tool_result(FOREIGN, "1"), say.tool_result(FOREIGN, "1"))
    sent = signatures(name, say.user("hi"), *step, model(OWN, FOREIGN), say.tool_result(OWN, "2"))
    assert sent == [[DUMMY if insists else None, None], ["c2ln", None]]
    assert signatures(name, say.user("hi"), *step, say.user("and?")) == [[None, None]]
