"""Schemes in Python."""

import _thread
import functools
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import raddle
from test_commands import SWEEP
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
    heard.clear()
    both = raddle.run(JOBS, congestion={"mprdma_dctcp": Counted, "fixed_rate": Counted})
    assert both.summary["completed"] and len(heard) == 32


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


class Rotate(Ops):
    """Every packet takes the next path."""

    def __init__(self, flow, step=1):
        self.next, self.step = flow.source, step

    def next_path(self, now_ps, psn, again, draw):
        self.next = (self.next + self.step) % 65536
        return self.next


def test_a_class_is_compared_under_its_name():
    plain = raddle.compare(SWEEP)
    ours = raddle.compare(SWEEP, load_balance={"ops": Ops})
    assert ours["rows"] == ["ecmp", "Ops"] and "Ops" in str(ours) and "Ops" in ours.report()
    # The port of `ops` gives its numbers, and `ecmp` beside it is nobody's but its own.
    assert [cell["mean"] for cell in ours["cells"]] == [cell["mean"] for cell in plain["cells"]]
    both = raddle.compare(SWEEP, load_balance={"ecmp": Rotate, "ops": Ops}, congestion=Fixed)
    assert both["rows"] == ["Rotate", "Ops"]
    steps = {"ecmp": functools.partial(Rotate, step=1), "ops": functools.partial(Rotate, step=3)}
    named = raddle.compare(SWEEP, load_balance=steps)
    assert named["rows"] == ["Rotate (ecmp)", "Rotate (ops)"]
    with pytest.raises(ValueError, match="flows have `ecmp`, `ops`; name the one"):
        raddle.compare(SWEEP, load_balance=Ops)
    with pytest.raises(ValueError, match="no flow has `opps`; .*nearest: `ops`"):
        raddle.compare(SWEEP, load_balance={"opps": Ops})
    with pytest.raises(ValueError, match="a scheme in Python runs with one"):
        raddle.compare(SWEEP, load_balance={"ops": Ops}, threads=2)


class Broken(Ops):
    def next_path(self, now_ps, psn, again, draw):
        if psn == 3:
            raise KeyError("psn")
        return 0


def test_what_a_class_raises_ends_a_comparison_and_a_sweep(tmp_path):
    with pytest.raises(KeyError, match="psn"):
        raddle.compare(SWEEP, load_balance={"ops": Broken})
    with pytest.raises(KeyError, match="psn"):
        raddle.sweep(SWEEP, tmp_path, load_balance={"ops": Broken})
    assert len(list(tmp_path.glob("*/run.json"))) <= 2, "no run of the class was kept"
    answer = raddle.sweep(SWEEP, tmp_path, load_balance={"ops": Broken}, executor="local")
    assert len(answer.failed) == 2 and "psn" in answer.failed[0]


@pytest.mark.parametrize("executor", [None, "local", "threads"])
def test_a_class_is_swept_and_its_runs_are_its_own(tmp_path, executor):
    executor = ThreadPoolExecutor(2) if executor == "threads" else executor
    plain = raddle.sweep(SWEEP, tmp_path)
    ours = raddle.sweep(SWEEP, tmp_path, load_balance={"ops": Ops}, executor=executor)
    assert ours["rows"] == ["ecmp", "Ops"]
    assert [cell["mean"] for cell in ours["cells"]] == [cell["mean"] for cell in plain["cells"]]
    kept = sorted(path.parent.name for path in tmp_path.glob("*/run.json"))
    assert len(kept) == 6 and sum("-python" in name for name in kept) == 2
    there = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*/run.json")}
    again = raddle.sweep(SWEEP, tmp_path, load_balance={"ops": Ops}, executor=executor)
    assert again["cells"] == ours["cells"]
    assert all(path.stat().st_mtime_ns == time for path, time in there.items())
    if executor is None:
        other = functools.partial(Rotate, step=7)
        raddle.sweep(SWEEP, tmp_path, load_balance={"ops": other})
        assert len(list(tmp_path.glob("*/run.json"))) == 8


def test_a_class_that_processes_cannot_import_is_refused_before_anything_runs(tmp_path):
    class Inner(Ops):
        pass

    with pytest.raises(ValueError, match="the workers are processes, which import .*Inner"):
        raddle.sweep(SWEEP, tmp_path, load_balance={"ops": Inner}, executor="local")
    assert not list(tmp_path.glob("*/run.json"))
