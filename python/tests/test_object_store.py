"""A sweep into an object store that talks S3 over HTTP, with workers and drivers killed."""

import os
import random
import signal
import time
from pathlib import Path

import fsspec
import pytest

import raddle
from test_sweep import GRID, children, driver, rows, tables

server = pytest.importorskip("moto.server", reason="without a package index there is no moto")
pytest.importorskip("s3fs", reason="without a package index there is no s3fs")


@pytest.fixture(scope="module")
def bucket():
    """A bucket that processes of this machine reach, for the time of these tests."""
    serving = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    serving.start()
    host, port = serving.get_host_and_port()
    before = dict(os.environ)
    os.environ.update(
        AWS_ENDPOINT_URL=f"http://{host}:{port}", AWS_ACCESS_KEY_ID="any", AWS_SECRET_ACCESS_KEY="any",
        AWS_DEFAULT_REGION="us-east-1",
    )
    fsspec.filesystem("s3").mkdir("grids")
    yield "s3://grids"
    os.environ.clear()
    os.environ.update(before)
    serving.stop()


def fetched(url, folder):
    """A copy of what the store holds."""
    files = fsspec.filesystem("s3", skip_instance_cache=True)
    files.get(url.removeprefix("s3://") + "/", str(folder), recursive=True)
    return folder


def kept(url):
    """The `run.json` of each run that is there."""
    files = fsspec.filesystem("s3", skip_instance_cache=True)
    found = files.find(url.removeprefix("s3://"))
    return {path: files.cat_file(path) for path in found if path.endswith("/run.json")}


def test_rows_are_the_local_ones(bucket, tmp_path):
    raddle.sweep(GRID, tmp_path / "local")
    answer = raddle.sweep(GRID, f"{bucket}/a", parallel=2)
    assert not answer.failed
    copy = fetched(f"{bucket}/a", tmp_path / "copy")
    assert rows(copy) == rows(tmp_path / "local")
    assert tables(copy) == tables(tmp_path / "local")
    # What is there is not run again, and what is damaged is told.
    there = kept(f"{bucket}/a")
    raddle.sweep(GRID, f"{bucket}/a", parallel=2)
    assert kept(f"{bucket}/a") == there
    fsspec.filesystem("s3").pipe_file(next(iter(there)), b"{")
    with pytest.raises(raddle.ScenarioError, match="damaged"):
        raddle.sweep(GRID, f"{bucket}/a")
    raddle.sweep(GRID, f"{bucket}/a", parallel=2, redo=True)
    assert kept(f"{bucket}/a").keys() == there.keys()


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs Linux")
def test_killed_workers_and_drivers_cost_no_run(bucket, tmp_path):
    grid, url = GRID.replace("64 KiB", "96 MiB").replace("1..6", "1..4"), f"{bucket}/b"
    raddle.sweep(grid, tmp_path / "local")
    (tmp_path / "grid.toml").write_text(grid)
    chance, kills, there = random.Random(11), 0, {}
    for attempt in range(100):
        process = driver(tmp_path, out=url)
        # Workers that are up have a run under way.
        while process.poll() is None and not children(process.pid):
            time.sleep(0.05)
        time.sleep(0.2 + 0.8 * chance.random())
        before, there = there, kept(url)
        # What was there stays there, to the byte.
        assert before.items() <= there.items()
        # A driver without workers is about to end.
        workers = children(process.pid) if process.poll() is None else []
        if workers and attempt % 2:
            os.killpg(process.pid, signal.SIGKILL)
            kills += 1
        elif workers:
            os.kill(workers[0], signal.SIGKILL)
            kills += 1
        out, error = process.communicate()
        assert process.returncode in (0, -signal.SIGKILL), error
        if kills == 3:
            break
        if process.returncode == 0:
            files = fsspec.filesystem("s3", skip_instance_cache=True)
            there = kept(url)
            for path in list(there)[:5]:
                files.rm(path.rsplit("/", 1)[0], recursive=True)
                del there[path]
    assert kills == 3
    process = driver(tmp_path, out=url)
    out, error = process.communicate()
    assert process.returncode == 0, error
    assert there.items() <= kept(url).items()
    copy = fetched(url, tmp_path / "copy")
    assert rows(copy) == rows(tmp_path / "local")
    assert tables(copy) == tables(tmp_path / "local")
