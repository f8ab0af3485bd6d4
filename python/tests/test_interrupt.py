"""Ctrl-C: a signal to a process whose run is under way."""

import signal
import subprocess
import sys
import time

import pytest

PROGRAM = """
import signal, sys, time
import raddle
from test_raddle import SMALL

# A shell that runs the tests in the background has them ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)

def draw(share, text):
    print(f"at {share}", flush=True)

scenario = {**SMALL, "traffic": {"kind": "permutation", "message": "4 GiB"}}
sweep = {**scenario, "sweep": {"seed": "1..40"}}
calls = {
    "run": lambda: raddle.run(scenario, progress=draw),
    "compare": lambda: raddle.compare(sweep, progress=draw),
    "sweep": lambda: raddle.sweep(sweep, sys.argv[2], progress=draw),
    "workers": lambda: raddle.sweep(sweep, sys.argv[2], executor="local", progress=draw),
}
try:
    if sys.argv[1] == "workers":
        draw(0, "")
    calls[sys.argv[1]]()
except KeyboardInterrupt:
    print("interrupted", time.monotonic(), flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="has no such signal")
@pytest.mark.parametrize("call", ["run", "compare", "sweep", "workers"])
def test_ctrl_c_ends_a_call_at_once(call, tmp_path, request):
    words = [sys.executable, "-c", PROGRAM, call, tmp_path / "o"]
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, text=True, cwd=request.path.parent
    )
    assert process.stdout.readline().startswith("at ")
    # The parent's workers take a while to start.
    time.sleep(2 if call == "workers" else 0.2)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    lines = process.communicate()[0].splitlines()
    assert lines[-1].startswith("interrupted "), lines
    # Shown by `pytest -s`: how long it took says as much of the machine as of the package.
    print(f"{call}: {(float(lines[-1].split()[1]) - sent) * 1e3:.0f} ms")
