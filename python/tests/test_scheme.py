"""Schemes in Python."""

import _thread
import threading
import time

import pytest

import raddle
from test_raddle import SMALL


class Ops:
    """`ops` of the catalogue."""

    def __init__(self, flow):
        assert flow.source != flow.destination and flow.packet_bytes == 4160

    def next_path(self, now_ps, psn, again, draw):
        return draw >> 48

    def on_feedback(self, now_ps, path, fate, rtt_ps, window_bytes, in_flight_bytes):
        assert fate in ("clean", "marked", "trimmed", "timed_out") and in_flight_bytes >= 0


class Fixed:
    """A window that never changes."""

    def __init__(self, flow):
        self.window = flow.bdp_bytes

    def on_ack(self, now_ps, bytes, marked, rtt_ps, in_flight_bytes):
        assert bytes >= 0 and (rtt_ps is None or rtt_ps > 0)

    def on_loss(self, now_ps, bytes, packets, cause, in_flight_bytes):
        assert packets >= 1

    def limits(self):
        return self.window, None


def test_a_class_stands_in_and_gives_the_same_run_again():
    first = raddle.run(SMALL, load_balance=Ops, congestion=Fixed)
    again = raddle.run(SMALL, load_balance=Ops, congestion=Fixed)
    assert first.summary["completed"]
    assert first.summary["results_hash"] == again.summary["results_hash"]
    assert any("Python" in note for note in first.notes)


def test_a_port_to_rust_gives_the_same_run():
    ours = raddle.run(SMALL, seed=5, load_balance=Ops).summary
    assert ours["results_hash"] == raddle.run(SMALL, seed=5).summary["results_hash"]


def test_a_window_is_kept_to():
    class Packet(Fixed):
        def __init__(self, flow):
            self.window = flow.packet_bytes

    ours = raddle.run(SMALL, congestion=Packet).summary
    # One packet a round trip: 16 of them, 8.6 us or more each.
    assert ours["completed"] and ours["completion_us"] > 50


def test_one_path_a_flow_is_ecmp():
    class Ecmp(Ops):
        def __init__(self, flow):
            self.path = flow.source

        def next_path(self, now_ps, psn, again, draw):
            return self.path

    ours = raddle.run(SMALL, load_balance=Ecmp).summary
    theirs = raddle.run(SMALL, set={"transport.load_balance.scheme": "ecmp"}).summary
    assert ours["results_hash"] == theirs["results_hash"]


JOBS = {
    **SMALL,
    "traffic": [
        {"name": "own", "kind": "permutation", "message": "64 KiB",
         "congestion": {"scheme": "fixed_rate"}},
        {"name": "common", "kind": "permutation", "message": "64 KiB"},
    ],
}


def test_a_class_stands_in_for_the_one_that_is_named():
    heard = set()

    class Counted(Fixed):
        def on_ack(self, *words):
            super().on_ack(*words)
            heard.add(self)

    for name in ("fixed_rate", "mprdma_dctcp"):
        heard.clear()
        assert raddle.run(JOBS, congestion={name: Counted}).summary["completed"]
        assert len(heard) == 16, "the flows of one of two jobs"
    with pytest.raises(ValueError, match="flows have `fixed_rate`, `mprdma_dctcp`; name the one"):
        raddle.run(JOBS, congestion=Counted)
    with pytest.raises(ValueError, match="no flow has `cubic`; they have `fixed_rate`, "):
        raddle.run(JOBS, congestion={"cubic": Counted})
    with pytest.raises(ValueError, match="one class can stand in"):
        raddle.run(JOBS, congestion={"cubic": Counted, "fixed_rate": Counted})


def test_a_background_keeps_its_own_unless_it_is_named():
    traffic = {**SMALL["traffic"], "background": {"every": 2, "load_balance": {"scheme": "ecmp"}}}
    beside = {**SMALL, "traffic": traffic}
    ours = raddle.run(beside, load_balance={"ops": Ops}).summary
    assert ours["results_hash"] == raddle.run(beside).summary["results_hash"]
    with pytest.raises(ValueError, match="flows have `ecmp`, `ops`"):
        raddle.run(beside, load_balance=Ops)


def test_what_a_class_raises_ends_the_run():
    class Broken(Ops):
        def next_path(self, now_ps, psn, again, draw):
            if psn == 3:
                raise KeyError("psn")
            return 0

    with pytest.raises(KeyError, match="psn"):
        raddle.run(SMALL, load_balance=Broken)

    class Narrow(Fixed):
        def limits(self):
            return 1, None

    with pytest.raises(ValueError, match="at least a packet, 4160 B"):
        raddle.run(SMALL, congestion=Narrow)
    with pytest.raises(OverflowError):
        raddle.run(SMALL, load_balance=type("Wide", (Ops,), {
            "next_path": lambda *_: 1 << 16}))


def test_ctrl_c_ends_a_run_of_a_class():
    asked = []

    def ask():
        time.sleep(0.3)
        asked.append(time.monotonic())
        _thread.interrupt_main()

    threading.Thread(target=ask).start()
    with pytest.raises(KeyboardInterrupt):
        raddle.run(SMALL, set={"traffic.message": "4 GiB"}, load_balance=Ops)
    assert time.monotonic() - asked[0] < 1


def test_threads_are_refused():
    with pytest.raises(ValueError, match="one"):
        raddle.run(SMALL, load_balance=Ops, threads=2)
