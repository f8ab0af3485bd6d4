"""A sweep on a Ray cluster of this machine, whose workers are killed."""

import os
import random
import signal
import threading
from pathlib import Path

import pytest

import raddle
from test_sweep import GRID, rows, tables

# Neither a token in the home folder nor a word to Ray's makers.
os.environ.update(RAY_AUTH_MODE="disabled", RAY_USAGE_STATS_ENABLED="0")


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes."""
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def test_rows_are_the_local_ones(cluster, tmp_path):
    raddle.sweep(GRID, tmp_path / "local")
    raddle.sweep(GRID, tmp_path / "ray", executor="ray")
    assert rows(tmp_path / "ray") == rows(tmp_path / "local")
    assert tables(tmp_path / "ray") == tables(tmp_path / "local")


def workers():
    """Processes of Ray that run a run."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if place.read_bytes().startswith(b"ray::work"):
                found.append(int(place.parent.name))
        except OSError:
            pass
    return found


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs Linux")
def test_killed_workers_cost_no_run(cluster, tmp_path):
    grid = GRID.replace("64 KiB", "64 MiB").replace("1..6", "1..8")
    chance, over, killed = random.Random(3), threading.Event(), []

    def kill():
        while len(killed) < 10 and not over.wait(0.1 + 0.3 * chance.random()):
            for worker in workers()[:1]:
                os.kill(worker, signal.SIGKILL)
                killed.append(worker)

    raddle.sweep(grid, tmp_path / "local")
    killer = threading.Thread(target=kill)
    killer.start()
    answer = raddle.sweep(grid, tmp_path / "ray", executor="ray")
    over.set()
    killer.join()
    assert killed and not answer.failed
    assert rows(tmp_path / "ray") == rows(tmp_path / "local")
    assert tables(tmp_path / "ray") == tables(tmp_path / "local")
    assert len(list((tmp_path / "ray").glob("*/run.json"))) == 16
