"""A sweep on a Ray cluster of this machine, whose workers and drivers are killed."""

import os
import random
import shutil
import signal
import threading
import time
from pathlib import Path

import pytest

import raddle
from test_sweep import GRID, driver, rows, tables

# Neither a token in the home folder nor a word to Ray's makers.
os.environ.update(RAY_AUTH_MODE="disabled", RAY_USAGE_STATS_ENABLED="0")

# A driver takes seconds to start; with 12 it was seen, too.
KILLS = 3


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes."""
    ray = pytest.importorskip("ray")
    for attempt in range(3):
        try:
            context = ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
            break
        except Exception as error:
            # It has 30 s, which is too little where other tests take the cores.
            ray.shutdown()
            if attempt == 2 or "timed out during startup" not in str(error):
                raise
    # Drivers in processes of their own find it by this.
    os.environ["RAY_ADDRESS"] = context.address_info["address"]
    yield
    del os.environ["RAY_ADDRESS"]
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


def finished(folder):
    """The `run.json` of each run that is there."""
    return {path: path.read_bytes() for path in folder.glob("[!.]*/run.json")}


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs Linux")
def test_killed_drivers_cost_no_run_and_no_row_comes_twice(cluster, tmp_path):
    store = tmp_path / "o"
    grid = GRID.replace("64 KiB", "64 MiB").replace("1..6", "1..12")
    (tmp_path / "grid.toml").write_text(grid)
    raddle.sweep(grid, tmp_path / "local")
    chance, kills, there = random.Random(5), 0, {}
    # Two at once on one store, all the time.
    drivers = [driver(tmp_path, on="ray") for _ in range(2)]
    while kills < KILLS:
        victim = drivers.pop(0)
        while victim.poll() is None and len(finished(store)) == len(there):
            time.sleep(0.02)
        time.sleep(0.5 * chance.random())
        # What was there stays there, to the byte.
        assert there.items() <= (there := finished(store)).items()
        if victim.poll() is None:
            os.killpg(victim.pid, signal.SIGKILL)
            kills += 1
        out, error = victim.communicate()
        assert victim.returncode in (0, -signal.SIGKILL), error
        if len(there) > 16:
            # There is nothing left to be killed at.
            for path in list(there)[:14]:
                shutil.rmtree(path.parent)
                del there[path]
        drivers.append(driver(tmp_path, on="ray"))
    for process in [*drivers, driver(tmp_path, on="ray")]:
        out, error = process.communicate()
        assert process.returncode == 0, error
    assert there.items() <= finished(store).items()
    assert rows(store) == rows(tmp_path / "local")
    assert tables(store) == tables(tmp_path / "local")
    assert len(finished(store)) == 24
