"""The sweep: recorded streams cut, ended, re-chunked and damaged in every way, held against the laws of design.

streams     what is swept: responses, out of recordings and raw fixtures
cases       what is done to a response, as data, from a seed
decode      a response of a case, through the decoder that live calls use
marks       what each wire format says of itself, told without its adapter
laws        the laws of one response; `turn_laws` those of a turn
run         every case over the adapters
turns, script, loop   the agent loop over a transport that plays a case
minimize, save        the smallest counter-example, as a fixture
sweep       one file: all of the above
"""
