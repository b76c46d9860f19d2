"""The modes of a session: what is asked of the network, what stands in the files afterwards, what is raised."""

from __future__ import annotations

import json

import pytest

import harness
from harness.clients.sessions import Session
from harness.errors import HarnessError, LiveMismatch, RecordingError, ReplayMismatch, UnusedCalls
from harness.recorder.recorder import Recorder
from harness.redaction.redactor import Redactor
from harness.replaying.matching import MatchRules
from tests.harness.transports import SSE, Reply, Scripted, family

URL = "https://api.test/v1/chat/completions"


def chat(text, **fields):
    payload = {"id": "1", "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": "stop"}], **fields}
    return Reply([f"data: {json.dumps(payload)}\n\n".encode(), b"data: [DONE]\n\n"])


def session(path, mode, **options):
    return Session(path, mode, rules=options.pop("rules", MatchRules()), redactor=Redactor(), **options)


def ask(client, prompt="hi", **fields):
    return client.post(URL, json={"model": "m", "messages": [{"role": "user", "content": prompt}], **fields}).text


def fail(error):
    raise error


@pytest.fixture
def path(tmp_path):
    return tmp_path / "runs" / "a.jsonl"


@pytest.fixture
def recorded(path):
    """A recording of two calls: hi, bye."""
    network = Scripted([chat("for hi"), chat("for bye")])
    with session(path, "record") as made, made.client(transport=network) as client:
        ask(client)
        ask(client, "bye")
    return path


def network_of(*texts):
    return Scripted([chat(text) for text in texts])


class TestReplay:
    def test_answers_come_from_the_recording(self, recorded):
        before = recorded.read_bytes()
        network = network_of()
        with session(recorded, "replay", strict=True) as found:
            client = found.client(transport=network)
            assert "for bye" in ask(client, "bye")
            assert "for hi" in ask(client)
        assert network.requests == []
        assert recorded.read_bytes() == before
        assert not found.recorded

    def test_a_miss_is_raised_at_once_and_again_at_the_end(self, recorded):
        found = session(recorded, "replay")
        found.open()
        with pytest.raises(ReplayMismatch, match=r"messages\[0\]\.content"):
            ask(found.client(), "other")
        with pytest.raises(ReplayMismatch) as caught:
            found.finish(None)
        assert caught.value is found.misses[0]
        assert caught.value.hint == "record it anew: run it again with HARNESS_RECORD_MODE=record"

    def test_what_the_block_raises_wins_and_tells_of_the_miss(self, recorded):
        def block():
            with session(recorded, "replay") as found:
                with pytest.raises(ReplayMismatch):
                    ask(found.client(), "other")
                raise KeyError("mine")

        with pytest.raises(KeyError) as caught:
            block()
        assert "no recorded call answers" in caught.value.__notes__[0]

    def test_unused_calls(self, recorded):
        with session(recorded, "replay") as found:
            ask(found.client())
        assert [call.number for call in found.unused] == [1]
        found = session(recorded, "replay", strict=True)
        found.open()
        ask(found.client())
        with pytest.raises(UnusedCalls, match=r"call 1, POST https://api\.test/v1/chat/completions$"):
            found.finish(None)

    def test_a_missing_recording(self, path):
        with pytest.raises(RecordingError, match=r"there is no such recording \(record it anew: do this\)"):
            session(path, "replay", rerecord="record it anew: do this").open()
        found = session(path, "replay", lenient=True)
        found.open()
        with pytest.raises(ReplayMismatch, match=r"the recording holds no call; .*a\.jsonl is missing; record it"):
            ask(found.client())
        with session(path, "replay", lenient=True):
            pass


class TestRecord:
    def test_it_takes_the_place_of_the_old_one_at_the_end(self, recorded):
        before = recorded.read_bytes()
        with session(recorded, "record", task="t", tags=["x"]) as made:
            assert "anew" in ask(made.client(transport=network_of("anew")))
            assert recorded.read_bytes() == before
        again = harness.open(recorded)
        assert [call.complete for call in again.calls] == [True]
        assert (again.header["task"], again.header["tags"], again.header["source"]) == ("t", ["x"], "live")
        assert again.end["status"] == "ok"
        assert list(recorded.parent.iterdir()) == [recorded]

    @pytest.mark.parametrize(("error", "status"), [(KeyError, "error"), (KeyboardInterrupt, "cancelled")])
    def test_a_failed_block_leaves_the_old_one(self, recorded, error, status):
        before = recorded.read_bytes()
        with pytest.raises(error) as caught, session(recorded, "record") as made:
            fail(error(ask(made.client(transport=network_of("anew")))))
        assert recorded.read_bytes() == before
        part = recorded.with_name("a.jsonl.part")
        assert harness.open(part).end["status"] == status
        assert caught.value.__notes__ == [f"the recording of this run is kept at {part}, {recorded} is as it was"]

    def test_a_recording_with_gaps_is_kept_beside(self, recorded, monkeypatch, caplog):
        before = recorded.read_bytes()

        def full(self, records):
            raise OSError(28, "No space left on device")

        with session(recorded, "record") as made:
            client = made.client(transport=network_of("anew"))
            monkeypatch.setattr("harness.recording.writer.Writer.write", full)
            assert "anew" in ask(client)
            monkeypatch.undo()
        assert recorded.read_bytes() == before
        assert made.errors == ["OSError: [Errno 28] No space left on device"]
        assert "No space left" in caplog.records[0].message
        assert caplog.records[-1].message.startswith("not all is recorded: the recording of this run is kept at ")

    def test_a_file_that_cannot_be_made(self, tmp_path):
        (tmp_path / "runs").write_text("no folder")
        with pytest.raises(RecordingError, match="cannot create the folder of the recording"):
            session(tmp_path / "runs" / "a.jsonl", "record").open()

    def test_a_lenient_one_is_made_with_the_first_call(self, path, tmp_path, caplog):
        with session(path, "record", lenient=True):
            pass
        assert not path.exists()
        (tmp_path / "runs").write_text("no folder")
        with session(path, "record", lenient=True) as made:
            client = made.client(transport=network_of("a", "b"))
            assert "a" in ask(client)
            assert "b" in ask(client)
        assert len(made.errors) == len(caplog.records) == 1

    def test_normalizers_stand_in_the_header_and_hold_on_replay(self, path):
        with session(path, "record", rules=MatchRules(normalizers=("dates",))) as made:
            ask(made.client(transport=network_of("a")), "It is 2026-01-01")
        with session(path, "replay") as found:
            assert "a" in ask(found.client(), "It is 2027-02-02")
        path.write_bytes(path.read_bytes().replace(b'"dates"', b'"mine!"'))
        with pytest.raises(RecordingError, match="its header names an unknown normalizer 'mine!'"):
            session(path, "replay").open()


class TestRecordMissing:
    def test_what_is_missing_is_added(self, recorded):
        network = network_of("for more")
        with session(recorded, "record-missing") as found:
            client = found.client(transport=network)
            assert "for hi" in ask(client)
            assert "for more" in ask(client, "more")
        assert len(network.requests) == 1
        again = harness.open(recorded, strict=True)
        assert [call.number for call in again.calls] == [0, 1, 2]
        assert len(again.resumes) == 1
        assert again.end["calls"] == 3
        with session(recorded, "replay", strict=True) as found:
            for prompt in ("more", "bye", "hi"):
                assert f"for {prompt}" in ask(found.client(), prompt)

    def test_the_file_is_let_be_where_nothing_is_missing(self, recorded):
        before = recorded.stat()
        with session(recorded, "record-missing") as found:
            ask(found.client(transport=network_of()))
        assert recorded.stat() == before

    def test_without_a_file_all_is_missing(self, path):
        with session(path, "record-missing") as found:
            ask(found.client(transport=network_of("a")))
        assert len(harness.open(path).calls) == 1

    def test_a_failed_block_adds_nothing(self, recorded):
        before = recorded.read_bytes()
        with pytest.raises(KeyError), session(recorded, "record-missing") as found:
            fail(KeyError(ask(found.client(transport=network_of("a")), "more")))
        assert recorded.read_bytes() == before

    @pytest.mark.parametrize("mode", ["record", "record-missing"])
    def test_a_compressed_recording_is_refused(self, tmp_path, mode):
        with pytest.raises(RecordingError, match=r"is not written to \(name it .jsonl, and compress it afterwards\)"):
            session(tmp_path / "a.jsonl.gz", mode).open()
        (tmp_path / "a.jsonl.gz").write_bytes(b"x")
        with pytest.raises(RecordingError, match=r"is not written to \(unpack it first\)"):
            session(tmp_path / "a.jsonl.gz", mode, lenient=True).open()


class TestVerify:
    def test_the_same_answers_pass_and_leave_nothing(self, recorded):
        before = recorded.read_bytes()
        with session(recorded, "verify") as found:
            client = found.client(transport=Scripted([chat("for hi", id="2"), chat("for bye", created=5)]))
            assert "for hi" in ask(client)
            ask(client, "bye")
        assert list(recorded.parent.iterdir()) == [recorded]
        assert recorded.read_bytes() == before

    def test_another_answer_is_told_and_kept(self, recorded):
        found = session(recorded, "verify")
        found.open()
        client = found.client(transport=network_of("for hi", "for you"))
        ask(client)
        assert "for you" in ask(client, "bye"), "the caller sees the live answer"
        with pytest.raises(LiveMismatch) as caught:
            found.finish(None)
        text = str(caught.value)
        assert 'call 1 is answered otherwise today: frame 0: choices[0].delta.content: recorded "for bye"' in text
        assert "the live answers are kept at" in text
        assert len(harness.open(recorded.with_name("a.jsonl.part")).calls) == 2

    def test_a_request_that_is_not_recorded_is_a_miss(self, recorded):
        network = network_of()
        with pytest.raises(ReplayMismatch), session(recorded, "verify") as found:
            ask(found.client(transport=network), "other")
        assert network.requests == []

    def test_ids_that_come_back_in_the_next_request(self, path):
        def turn(network, mode, name):
            with session(path, mode) as found:
                client = found.client(transport=network)
                ask(client)
                ask(client, "bye", messages=[{"role": "tool", "tool_call_id": name, "content": "ok"}])

        turn(network_of("a", "b"), "record", "call_1")
        turn(network_of("a", "b"), "verify", "call_2")
        with pytest.raises(ReplayMismatch):
            turn(network_of(), "replay", "call_2")


class TestOther:
    def test_passthrough_reads_and_writes_nothing(self, path):
        with session(path, "passthrough") as found:
            assert "live" in ask(found.client(transport=network_of("live")))
        assert not path.parent.exists()

    def test_a_session_is_used_once(self, recorded):
        with session(recorded, "replay") as found:
            pass
        with pytest.raises(HarnessError, match="used once"), found:
            pass

    def test_clients_that_live_on_are_not_recorded(self, path):
        lib = family("httpx")
        network = network_of("a", "b")
        with session(path, "record") as made:
            client = lib.Client(transport=made.transport(network))
            ask(client)
        assert "b" in ask(client)
        assert len(harness.open(path).calls) == 1

    def test_keys_never_reach_the_file(self, path):
        key = "sk-test-0123456789abcdefghijklmnop"
        with session(path, "record") as made:
            client = made.client(transport=network_of("a"), headers={"authorization": f"Bearer {key}"})
            ask(client, f"my key is {key}")
        assert key not in path.read_text()
        with session(path, "replay") as found:
            ask(found.client(headers={"authorization": f"Bearer {key}"}), f"my key is {key}")


def test_appending_goes_on_with_numbers_and_totals(recorded):
    network = Scripted([Reply([b'{"error":{"message":"no"}}'], 401, "application/json"), chat("x")])
    with Recorder(recorded, append=True) as recorder:
        client = family("httpx").Client(transport=recorder.transport(network))
        ask(client)
        client.post(URL, json={"a": 1}, extensions={"trajectory": {"call": 0}})
    again = harness.open(recorded, strict=True)
    assert [call.number for call in again.calls] == [0, 1, 2, 3]
    assert (again.end["calls"], again.end["errors"]) == (4, 1)
    assert SSE in again.calls[3].response.content_type
