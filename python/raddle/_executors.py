"""Who runs the runs of a grid: processes of this machine, Slurm, Ray, or an executor of the
caller's."""

from __future__ import annotations

import math
import multiprocessing
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from concurrent import futures
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _raddle
from ._arguments import Wrong, near
from ._classes import Listed
from ._scenario import Text
from ._store import SUMMARY, open_store

ROUNDS = 3
"""Rounds of lost workers in a row, without one run that finished, after which runs fail."""

MINUTES = 24 * 60
"""After which Slurm ends a run, unless `SBATCH_TIMELIMIT` says otherwise."""


@dataclass(frozen=True)
class Task:
    """A run, whoever runs it."""

    name: str
    """Of its folder in the store."""
    place: str
    """Its settings and seed, as messages name them."""
    scenario: str
    """TOML with every default filled in, and the seed."""
    files: tuple[tuple[str, str], ...]
    """The files that the scenario names, and their texts."""
    memory_bytes: int
    """What it takes at least."""
    out: str
    """The store."""
    csv: bool
    threads: int
    classes: tuple[Listed, Listed, str]
    """Classes that stand in for load balancers and for congestion controls, and their mark."""


Done = Callable[[Task, "str | Exception"], None]
"""Hears of each run its `run.json`, or why there is none."""

Executor = Callable[[Sequence[Task], Done], None]

Results = Generator["tuple[Task, str | Exception]", None, None]


class Lost(Exception):
    """The process that ran a run ended."""


def work(task: Task) -> str:
    """Run one run and keep it in its store; gives its `run.json`."""
    with tempfile.TemporaryDirectory(prefix="raddle-") as scratch:
        folder = Path(scratch)
        for name, content in task.files:
            path = folder / "scenario" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        base = str(folder / "scenario")
        text: Text = (task.scenario, f"{task.name}/scenario.toml", base, [])
        _raddle.sweep(
            text, (None, None), str(folder / "runs"), False, task.csv, 1, task.threads, False,
            (*task.classes, True),
        )
        run = folder / "runs" / task.name
        if not run.is_dir():
            raise RuntimeError(
                f"this worker has raddle {_raddle.BUILD}, which is not the one that asks for "
                f"{task.name}: install the same on both"
            )
        open_store(task.out).put(task.name, run)
        return (run / SUMMARY).read_text(encoding="utf-8")


def _in_rounds(tasks: Sequence[Task], done: Done, one_round: Callable[[Sequence[Task]], Results]) -> None:
    """Runs what is lost again, as long as some run finishes."""
    left, idle = list(tasks), 0
    while left:
        lost = []
        # Closed whatever happens: an interrupt ends the workers at once.
        with closing(one_round(left)) as results:
            for task, result in results:
                if isinstance(result, Lost):
                    lost.append(task)
                else:
                    done(task, result)
        idle = idle + 1 if len(lost) == len(left) else 0
        if idle == ROUNDS:
            for task in lost:
                done(task, Lost(f"its worker ended {ROUNDS} times"))
            return
        left = lost


def processes(parallel: int) -> Executor:
    """Processes of this machine, so many at a time."""

    def one_round(tasks: Sequence[Task]) -> Results:
        # Not forked: the parent's threads would be missing in the child.
        context = multiprocessing.get_context("spawn")
        pool = futures.ProcessPoolExecutor(min(parallel, len(tasks)), mp_context=context)
        try:
            yield from _futures(pool, tasks)
        except BaseException:
            # Nobody waits for the runs that are under way. (Python 3.14 has a call for this.)
            for process in list((pool._processes or {}).values()):
                process.kill()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    return lambda tasks, done: _in_rounds(tasks, done, one_round)


def _futures(pool: futures.Executor, tasks: Sequence[Task]) -> Results:
    asked: dict[futures.Future[str], Task] = {}
    left = []
    for task in tasks:
        try:
            asked[pool.submit(work, task)] = task
        except BrokenProcessPool:
            left.append(task)
    for future in futures.as_completed(asked):
        try:
            yield asked[future], future.result()
        except BrokenProcessPool as error:
            yield asked[future], Lost(str(error))
        except Exception as error:
            yield asked[future], error
    for task in left:
        yield task, Lost("the pool of processes broke")


def pool(executor: futures.Executor) -> Executor:
    """An executor of `concurrent.futures`, or one that is like them."""

    def run(tasks: Sequence[Task], done: Done) -> None:
        for task, result in _futures(executor, tasks):
            done(task, result)

    return run


def submitit(executor: Any) -> Executor:
    """An executor of submitit, with the parameters that it has; Slurm's jobs become an array."""

    def one_round(tasks: Sequence[Task]) -> Results:
        from submitit.core.utils import FailedJobError, UncompletedJobError

        with executor.batch():
            jobs = [(task, executor.submit(work, task)) for task in tasks]
        while jobs:
            left = []
            for task, job in jobs:
                if not job.done():
                    left.append((task, job))
                    continue
                try:
                    yield task, job.result()
                except FailedJobError as error:
                    # The last line of a traceback says what; the others where.
                    yield task, RuntimeError(str(error).strip().splitlines()[-1])
                except UncompletedJobError as error:
                    yield task, Lost(str(error))
            if len(left) == len(jobs):
                time.sleep(0.2)
            jobs = left

    return lambda tasks, done: _in_rounds(tasks, done, one_round)


def slurm(threads: int) -> Executor:
    """Slurm by submitit: a job takes the run's threads and memory."""

    def run(tasks: Sequence[Task], done: Done) -> None:
        import submitit as library  # Slurm's jobs as futures

        executor = library.AutoExecutor(folder="submitit", cluster="slurm")
        memory = math.ceil(max(task.memory_bytes for task in tasks) / 1e9) + 1
        executor.update_parameters(
            cpus_per_task=threads, mem_gb=memory, name="raddle", timeout_min=MINUTES
        )
        submitit(executor)(tasks, done)

    return run


def ray(address: str | None) -> Executor:
    """Ray: a task takes the run's threads and memory; what a dead worker had is run again."""

    def run(tasks: Sequence[Task], done: Done) -> None:
        import ray as library  # a cluster of machines that come and go

        if not library.is_initialized():
            library.init(address=address, log_to_driver=False)
        _in_rounds(tasks, done, lambda tasks: _of_ray(library, tasks))

    return run


def _of_ray(library: Any, tasks: Sequence[Task]) -> Results:
    remote = library.remote(work)
    asked = {
        remote.options(num_cpus=task.threads, memory=task.memory_bytes, max_retries=0).remote(task):
            task
        for task in tasks
    }
    try:
        while asked:
            ready, _ = library.wait(list(asked), num_returns=1)
            for reference in ready:
                task = asked.pop(reference)
                yield task, _of_reference(library, reference)
    finally:
        # Nobody waits for the others.
        for reference in asked:
            library.cancel(reference, force=True)


def _of_reference(library: Any, reference: Any) -> str | Exception:
    """What came of a task of Ray."""
    try:
        summary: str = library.get(reference)
        return summary
    except library.exceptions.RayTaskError as error:
        cause = getattr(error, "cause", error)
        return cause if isinstance(cause, Exception) else RuntimeError(str(error))
    except library.exceptions.RayError as error:
        return Lost(str(error))


def choose(executor: Any, parallel: int, threads: int) -> Executor:
    """The executor that a word, an address or an object stands for."""
    if executor is None or executor == "local":
        return processes(parallel)
    if executor == "slurm":
        return slurm(threads)
    if executor == "ray":
        return ray(None)
    if isinstance(executor, str) and executor.startswith("ray://"):
        return ray(executor)
    if isinstance(executor, futures.Executor):
        return pool(executor)
    if hasattr(executor, "batch") and hasattr(executor, "submit"):
        return submitit(executor)
    words = near(executor, ["local", "slurm", "ray"]) if isinstance(executor, str) else ""
    raise Wrong(
        ValueError,
        f"executor = {executor!r}: expected \"local\", \"slurm\", \"ray\", \"ray://HOST:PORT\", "
        f"an executor of concurrent.futures or one of submitit{words}",
    )
