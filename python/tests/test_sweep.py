"""Grids of runs: rows equal to the command's, whoever runs them and whatever is killed."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import fsspec
import pyarrow
import pyarrow.parquet
import pytest

import raddle
from test_commands import SWEEP
from test_raddle import command

GRID = SWEEP.replace('"1..2"', '"1..6"')
COST = ["cpu_s", "wall_s"]

# Each takes seconds; with 10 it was seen, too.
KILLS = 4


def rows(folder):
    """The table of runs without what they cost."""
    table = pyarrow.parquet.read_table(Path(folder) / "runs.parquet")
    return table.drop_columns(COST).to_pylist()


def tables(folder):
    """The bytes of every table of every run, by name."""
    return {f"{file.parent.name}/{file.name}": file.read_bytes()
            for file in Path(folder).glob("[!.]*/*.parquet")}


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """What the command keeps."""
    folder = tmp_path_factory.mktemp("local")
    (folder / "grid.toml").write_text(GRID)
    printed = command("sweep", folder / "grid.toml", "--out", folder / "o", "--json", folder=folder)
    return folder / "o", printed


def test_a_sweep_is_the_commands(local, tmp_path):
    folder, printed = local
    ours = raddle.sweep(GRID, tmp_path / "o")
    assert strip(ours) == strip(printed)
    assert rows(tmp_path / "o") == rows(folder)
    assert tables(tmp_path / "o") == tables(folder)


def strip(answer):
    """Without what it cost."""
    return {key: value for key, value in answer.items() if key not in ("cost", *COST)}


@pytest.mark.parametrize("executor", ["local", "threads", "submitit"])
def test_rows_do_not_depend_on_the_executor(local, tmp_path, executor):
    folder, printed = local
    if executor == "threads":
        executor = ThreadPoolExecutor(2)
    elif executor == "submitit":
        import submitit

        executor = submitit.LocalExecutor(folder=tmp_path / "jobs")
        executor.update_parameters(timeout_min=5)
    ours = raddle.sweep(GRID, tmp_path / "o", executor=executor, parallel=2)
    assert strip(ours) == strip(printed)
    assert rows(tmp_path / "o") == rows(folder)
    assert tables(tmp_path / "o") == tables(folder)


def test_an_object_store_has_the_same(local, tmp_path):
    folder, _ = local
    raddle.sweep(GRID, "memory://grid/a", executor=ThreadPoolExecutor(2))
    store = fsspec.filesystem("memory")
    store.get("/grid/a/", str(tmp_path / "o"), recursive=True)
    assert rows(tmp_path / "o") == rows(folder)
    assert tables(tmp_path / "o") == tables(folder)


def test_processes_write_into_an_object_store(local, tmp_path):
    folder, _ = local
    # Objects that are files: what an object store is asked for, and other processes see.
    raddle.sweep(GRID, f"local://{tmp_path}/o", executor="local", parallel=2)
    assert rows(tmp_path / "o") == rows(folder)
    assert tables(tmp_path / "o") == tables(folder)


def test_what_is_there_is_not_run_again_and_what_is_damaged_is_told(tmp_path):
    threads = ThreadPoolExecutor(1)
    raddle.sweep(GRID, tmp_path, seeds=[1, 2], executor=threads)
    there = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*/run.json")}
    assert len(there) == 4
    raddle.sweep(GRID, tmp_path, executor=threads)
    assert all(path.stat().st_mtime_ns == time for path, time in there.items())
    assert len(list(tmp_path.glob("*/run.json"))) == 12
    next(iter(there)).write_text("{")
    with pytest.raises(raddle.ScenarioError, match="damaged"):
        raddle.sweep(GRID, tmp_path, executor=threads)
    raddle.sweep(GRID, tmp_path, executor=threads, redo=True)
    # A store that other workers wrote is one that the command goes on with.
    raddle.sweep(GRID, tmp_path)


def test_wrong_words_are_refused():
    with pytest.raises(ValueError, match="executor = 'slurn'"):
        raddle.sweep(GRID, "o", executor="slurn")


def driver(folder, out=None, on="local"):
    """`python -m raddle sweep`, in a process of its own and a group with its workers."""
    words = [sys.executable, "-m", "raddle", "sweep", folder / "grid.toml", "--out",
             out or folder / "o", "--on", on, "--parallel", "2", "--json"]
    return subprocess.Popen([*map(str, words)], start_new_session=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def children(pid):
    """Processes below one, that compute."""
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        own = [int(child) for child in file.read().split()]
    spawned = []
    for child in own:
        with open(f"/proc/{child}/cmdline") as file:
            if "spawn_main" in file.read():
                spawned.append(child)
    return spawned


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs Linux")
def test_killed_workers_and_drivers_cost_no_run_and_no_row_comes_twice(tmp_path):
    # Runs of tenths of a second, so that a kill finds one under way on any machine.
    grid, folder = GRID.replace("64 KiB", "96 MiB"), tmp_path / "local"
    raddle.sweep(grid, folder)
    (tmp_path / "grid.toml").write_text(grid)
    chance, kills = random.Random(7), 0
    for attempt in range(100):
        process = driver(tmp_path)
        time.sleep(0.2 + 0.8 * chance.random())
        there = {path: path.read_bytes() for path in (tmp_path / "o").glob("[!.]*/run.json")}
        if attempt % 2:
            workers = children(process.pid) if process.poll() is None else []
            for worker in workers[:1]:
                os.kill(worker, signal.SIGKILL)
                kills += 1
            out, error = process.communicate()
            assert process.returncode == 0, error
        elif process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            kills += 1
        else:
            process.communicate()
        # What was there stays there, to the byte.
        assert all(path.read_bytes() == text for path, text in there.items())
        if kills >= KILLS:
            break
        if len(there) == 12:
            for path in list(there)[:6]:
                for file in path.parent.iterdir():
                    file.unlink()
                path.parent.rmdir()
    assert kills == KILLS
    process = driver(tmp_path)
    out, error = process.communicate()
    assert process.returncode == 0, error
    assert rows(tmp_path / "o") == rows(folder)
    assert tables(tmp_path / "o") == tables(folder)


def test_two_drivers_share_a_store(local, tmp_path):
    folder, _ = local
    failures = []

    def drive():
        try:
            raddle.sweep(GRID, tmp_path, executor=ThreadPoolExecutor(2))
        except BaseException as error:
            failures.append(error)

    both = [threading.Thread(target=drive) for _ in range(2)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert not failures
    assert rows(tmp_path) == rows(folder)
    assert tables(tmp_path) == tables(folder)
    assert not list(tmp_path.glob(".unfinished-*"))
