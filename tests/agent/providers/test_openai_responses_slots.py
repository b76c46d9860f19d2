"""Which event, and which terminal item, belongs to which output item."""

from __future__ import annotations

from agent.providers.openai_responses_slots import Slots


def at(index=None, name=None):
    return {"output_index": index, "item_id": name}


def item(kind="message", **fields):
    return {"type": kind, **fields}


def test_the_index_is_the_key():
    slots = Slots()
    first = slots.announce(at(0), item(id="a"))
    assert slots.of_event(at(0, "other"), "message") is first
    assert slots.of_event(at(1, "third"), "message") is not first


def test_without_an_index_id_and_call_id_are_keys():
    slots = Slots()
    message = slots.announce({}, item(id="m"))
    one = slots.announce({}, item("function_call", call_id="fc_1", name="f"))
    two = slots.announce({}, item("function_call", call_id="fc_2", name="f"))
    assert one is not two
    assert slots.of_event({"item_id": "m"}, "message") is message
    assert slots.of_event({"item_id": "fc_1"}, "function_call") is one
    assert slots.of_event({"item_id": "fc_2"}, "function_call") is two
    assert slots.of_item({}, item("function_call", call_id="fc_1")) is one


def test_without_any_key_the_last_item_of_the_type_goes_on():
    slots = Slots()
    message = slots.announce({}, item())
    assert slots.of_event({}, "message") is message
    call = slots.of_event({}, "function_call")
    assert call is not message
    assert slots.of_event({}, "function_call") is call
    call.closed = True
    assert slots.of_event({}, "function_call") is not call


def test_an_index_that_comes_later_is_learned():
    slots = Slots()
    message = slots.announce({}, item(id="m"))
    assert slots.of_event(at(3, "m"), "message") is message
    assert slots.of_event(at(3), "message") is message


def test_deltas_before_the_announcement():
    slots = Slots()
    opened = slots.of_event(at(0, "fc"), "function_call")
    assert slots.announce(at(0), item("function_call", id="fc", call_id="c", name="f")) is opened
    assert (opened.call_id, opened.name) == ("c", "f")


def test_a_second_announcement_at_an_index_opens_another_item():
    slots = Slots()
    one = slots.announce(at(0), item("function_call", id="a", call_id="c1"))
    two = slots.announce(at(0), item("function_call", id="b", call_id="c2"))
    assert one is not two
    assert slots.announce(at(0), item("function_call", id="b", call_id="c2")) is two
    assert slots.of_event(at(0, "a"), "function_call") is one
    assert slots.of_item(at(0), item("function_call", id="a", call_id="c1")) is one
    assert slots.announce(at(0), item("reasoning", id="r")) not in (one, two)


def test_arguments_final_before_deltas_before_first():
    slots = Slots()
    slot = slots.announce(at(0), item("function_call", call_id="c", arguments="first"))
    assert slot.arguments == "first"
    slot.deltas += ["del", "ta"]
    assert slot.arguments == "delta"
    slots.of_item(at(0), item("function_call", call_id="c", arguments=" "))
    assert slot.arguments == "delta"
    slots.of_item(at(0), item("function_call", call_id="c", arguments={}))
    assert slot.arguments == {}


def test_terminal_items_match_by_id_then_call_id_then_position():
    slots = Slots()
    zero = slots.announce(at(0), item("reasoning", id="r"))
    one = slots.announce(at(1), item("function_call", id="f", call_id="c"))
    two = slots.announce(at(2), item(id="m"))
    output = [item(id="m"), item("function_call", id="z", call_id="c"), item("reasoning", id="y")]
    assert slots.of_output(output) == [two, one, zero]


def test_terminal_items_of_changed_ids_match_by_position():
    slots = Slots()
    announced = [slots.announce(at(index), item(id=f"m{index}")) for index in range(3)]
    assert slots.of_output([item(id=f"x{index}") for index in range(3)]) == announced


def test_a_terminal_call_with_another_call_id_is_another_call():
    slots = Slots()
    call = slots.announce(at(0), item("function_call", id="a", call_id="c1"))
    assert slots.of_output([item("function_call", id="b", call_id="c2")]) != [call]


def test_a_slot_is_taken_once():
    slots = Slots()
    message = slots.announce(at(0), item(id="m"))
    first, second = slots.of_output([item(id="m"), item(id="m")])
    assert first is message
    assert second is not message


def test_values_of_the_wrong_type_are_no_keys():
    slots = Slots()
    for odd in (True, 1.0, "0", [], {}, None):
        slots.of_event({"output_index": odd, "item_id": [odd]}, "message")
        slots.announce({"output_index": odd}, {"type": odd, "id": {}, "call_id": [], "name": 3})
        slots.of_item({"output_index": odd}, {"type": odd, "id": odd})
        slots.of_output([{"type": odd}])
    assert all(slot.index is None for slot in slots.all)
