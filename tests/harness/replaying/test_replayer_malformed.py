from __future__ import annotations

import json
import re

import pytest

from tests.harness.judging import REMOVE, SESSIONS, first, judged, setting
from tests.harness.sessions import Turn, change, record
from tests.harness.turns import ANSWER, LEFT, LOOKS


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return record(tmp_path_factory.mktemp("r") / "source.jsonl", *SESSIONS["tools and retries"])


class TestMalformed:
    """Nothing in a file makes the replay raise; what is wrong is told with its place."""

    @pytest.mark.parametrize(
        ("apply", "said"),
        [
            *((setting("turn", [name], REMOVE), f"line 2.*{name}")
              for name in ("turn", "input", "history", "mode", "provider", "model", "system", "tools", "params",
                           "limits")),
            *((setting("turn", [name], value), f"(line|turn) [02].*{name}|differs in")
              for name, value in (("history", [5]), ("history", [{}]), ("history", 5),
                                  ("history", [{"role": "assistant", "parts": [5]}]), ("tools", [{}]),
                                  ("tools", [5]), ("tools", {"a": 1}), ("limits", []),
                                  ("limits", {"max_iterations": "x"}), ("params", [1]), ("model", 5), ("input", 5),
                                  ("tool_modes", 5))),
            (setting("turn", ["provider"], ""), "provider/model"),
            (setting("turn", ["base_url"], "ftp://x"), "must begin with http"),
            (setting("turn", ["base_url"], "not a url"), "has blanks"),
            (setting("turn", ["base_url"], 5), "line 2.*base_url"),
            (setting("request", ["wire"], "smoke signals"), "smoke signals"),
            (setting("request", ["wire"], 5), "wire format 5"),
            (setting("request", ["decode"], 5), "line 3.*decode"),
            (setting("request", ["call"], REMOVE), "line 3"),
            (setting("request", ["call"], 7), "no request record"),
            (setting("request", ["url"], REMOVE), "line 3"),
            (setting("request", ["url"], 5), "line 3.*url"),
            (setting("request", ["method"], 5), "line 3.*method"),
            (setting("request", ["headers"], 5), "line 3"),
            (setting("request", ["body"], REMOVE), "body"),
            (setting("request", ["same"], {"messages": 9}), "call 9"),
            (setting("response", ["status"], "200"), "line 4.*status"),
            (setting("response", ["status"], REMOVE), "line 4"),
            (setting("response", ["headers"], [["a"]]), "line 4"),
            (setting("response", ["headers"], [[5, 5]]), "line 4.*header"),
            (setting("frame", ["raw"], REMOVE), "line 5"),
            (setting("frame", ["raw"], 5), "line 5"),
            (setting("frame", ["i"], REMOVE), "line 5"),
            (setting("frame", ["cuts"], 5), "line 5"),
            (setting("frame", ["cuts"], ["x"]), "line 5.*cuts"),
            (setting("event", ["event"], 5), "line 6"),
            (setting("event", ["event"], REMOVE), "line 6"),
            (setting("event", ["frame"], REMOVE), "line 6.*frame"),
            (setting("event", ["event"], {}), ""),
            (setting("call_end", ["end"], REMOVE), "call_end"),
            (setting("call_end", ["end"], "maybe"), "end"),
            (setting("call_end", ["bytes"], REMOVE), "bytes"),
            (setting("call_end", ["bytes"], "many"), "bytes"),
            (setting("call_end", ["error"], 5), ""),
            (setting("tool_result", ["output"], REMOVE), "output"),
            (setting("tool_result", ["output"], 5), "output"),
            (setting("tool_result", ["turn"], 9), "turn 9"),
            (setting("loop", ["data"], 5), "data"),
            (setting("loop", ["event"], REMOVE), "event"),
            (setting("loop", ["event"], 5), ""),
        ],
    )  # fmt: skip
    def test_a_field(self, tmp_path, apply, said):
        path = change(record(tmp_path / "r.jsonl", Turn([LOOKS, ANSWER])), apply)
        found = judged(path)
        assert found.status in ("fail", "error")
        assert re.search(said, " | ".join(verdict.reason or "" for verdict in found.verdicts)), found.reason

    @pytest.mark.parametrize("data", [5, {}, {"events": "x", "pulling": 1}, {"events": None, "pulling": True}, []])
    def test_the_left_place(self, tmp_path, data):
        path = record(tmp_path / "r.jsonl", LEFT["between deltas"])
        found = judged(change(path, setting("loop", ["data"], data, event="cancelled")))
        assert found.status in ("fail", "error")

    @pytest.mark.parametrize(
        "kind", ["header", "end", "turn", "request", "response", "frame", "event", "call_end", "tool_result", "loop"]
    )
    @pytest.mark.parametrize("value", [None, -1, 1.5, "x", [], {}, True, "\ud800", 10**30], ids=repr)
    def test_any_field_with_any_value(self, source, tmp_path, kind, value):
        values = map(json.loads, source.read_bytes().splitlines())
        for name in next(one for one in values if one["kind"] == kind):
            matches = first(kind)

            def apply(record_, name=name, matches=matches):
                if matches(record_):
                    record_[name] = value

            lines = []
            for line in source.read_bytes().splitlines():
                one = json.loads(line)
                apply(one)
                lines.append(json.dumps(one))
            path = tmp_path / "odd.jsonl"
            path.write_text("\n".join(lines) + "\n")
            judged(path)

    def test_events_without_their_request(self, tmp_path):
        path = record(tmp_path / "r.jsonl", Turn([LOOKS, ANSWER]))
        found = judged(change(path, lambda value: value["kind"] != "request"))
        assert (found.verdicts[0].check, found.verdicts[0].status) == ("read", "error")
        assert "line 3" in found.reason

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("", "empty"),
            ("\n\n", "no record"),
            ("hello\n", "not a recording"),
            ('{"a":1}\n', "not a recording"),
            ('{"kind":"header","seq":0,"t":0,"format":"trajectory","version":2}\n', "newer"),
            ('{"kind":"header","seq":0,"t":0,"format":"trajectory","version":"x"}\n', "does not exist"),
            ("[]\n", "not a recording"),
        ],
    )
    def test_no_recording(self, tmp_path, text, said):
        (tmp_path / "x.jsonl").write_text(text)
        found = judged(tmp_path / "x.jsonl")
        assert (found.status, [verdict.check for verdict in found.verdicts]) == ("error", ["read"])
        assert said in found.reason

    def test_a_missing_file_and_a_folder(self, tmp_path):
        assert judged(tmp_path / "none.jsonl").status == "error"
        assert judged(tmp_path).status == "error"
