"""A grid of runs, kept one by one, on this machine or on many."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import _arguments, _classes, _executors, _progress, _raddle, _scenario
from ._arguments import checked
from ._calls import warn_of, with_seeds
from ._errors import Problem, ScenarioError
from ._executors import Task
from ._progress import Shown
from ._results import Comparison
from ._scenario import AnyScenario, Seeds, Text
from ._store import Store, open_store
from .scheme import Class, CongestionControl, PathSelector


@checked
def sweep(
    scenario: AnyScenario,
    out: str | os.PathLike[str],
    *,
    set: Mapping[str, Any] | None = None,
    seeds: Seeds | None = None,
    metric: str | None = None,
    job: str | None = None,
    redo: bool = False,
    csv: bool = False,
    parallel: int | None = None,
    threads: int = 1,
    executor: Any = None,
    progress: Shown | None = None,
    load_balance: Class[PathSelector] | None = None,
    congestion: Class[CongestionControl] | None = None,
) -> Comparison:
    """Run a large grid and keep its runs one by one, as `raddle sweep`; interrupted, it resumes.

    `out` is the folder that keeps the runs, or a URL that fsspec knows (`s3://bucket/grid`); runs
    that it holds are not repeated, damaged ones with `redo`. Tables are Parquet, or `csv`.
    `parallel` runs at a time and `threads` inside each, `metric` and `job`, as of `compare`.

    `executor` says who runs them: without one, threads of this process (processes, where `out` is a
    URL); `"local"`, processes of this machine; `"slurm"`; `"ray"` or `"ray://HOST:PORT"`; or an
    executor of `concurrent.futures` or submitit. Rows do not depend on it. A run is written whole
    or not at all; one whose worker died is run again.

    `load_balance` and `congestion` as of `compare`. Processes import the class by its name, so it
    stands at the top of a module that they can import. The folder of a run with a class has a mark
    of the class's file behind the scenario's hash, as has the column `scenario` of its tables: an
    edited class runs anew.
    """
    text = _scenario.text(scenario, with_seeds(set, seeds))
    asked = (metric, job)
    classes = _classes.listed("load_balance", load_balance), _classes.listed("congestion", congestion)
    answer = sweep_text(
        text, asked, out, redo, csv, parallel, threads, executor, progress, *classes
    )
    warn_of(answer.failed)
    return answer


def sweep_text(
    text: Text,
    asked: tuple[str | None, str | None],
    out: str | os.PathLike[str],
    redo: bool,
    csv: bool,
    parallel: int | None,
    threads: int,
    executor: Any,
    progress: Shown | None,
    load_balance: _classes.Listed,
    congestion: _classes.Listed,
) -> Comparison:
    """The same of a scenario's text."""
    parallel, threads = _arguments.parallel(parallel), _arguments.threads(threads)
    _classes.alone(threads, load_balance, congestion)
    mark = _classes.mark(load_balance, congestion)
    place = os.fspath(out)
    if executor is None and "://" not in place:
        if parallel is None and mark:
            parallel = 1
        classes = (load_balance, congestion, mark, False)
        with _progress.shown(progress) as shown:
            return Comparison(
                *_raddle.sweep(text, asked, place, redo, csv, parallel, threads, shown, classes)
            )
    _classes.reach_processes(executor, load_balance=load_balance, congestion=congestion)
    grid = _raddle.Grid(text, asked, (load_balance, congestion, mark, False))
    store = open_store(place)
    if parallel is None:
        parallel = max(1, (os.cpu_count() or 1) // threads)
    run = _executors.choose(executor, parallel, threads)
    if "://" not in place:
        # Workers may stand in another folder.
        place = os.path.abspath(place)
    tasks = [
        Task(
            name, where, scenario, tuple(files), memory, place, csv, threads,
            (load_balance, congestion, mark),
        )
        for name, where, scenario, files, memory in grid.runs()
    ]
    summaries, open_tasks = recall(store, tasks, redo)
    failed: dict[str, str] = {}
    names = {task.name for task in tasks}
    with _progress.shown(progress) as shown:

        def done(task: Task, result: str | Exception) -> None:
            if isinstance(result, str):
                summaries[task.name] = result
            else:
                failed[task.name] = f"{task.place}: {result}"
            _progress.draw_runs(shown, len(summaries) + len(failed), len(names))

        if open_tasks:
            run(open_tasks, done)
    # What workers left that were killed.
    store.clear(summaries.keys())
    if not summaries:
        raise RuntimeError(next(iter(failed.values()), "the scenario has no run"))
    with tempfile.TemporaryDirectory(prefix="raddle-") as scratch:
        of_runs = [summaries.get(task.name) for task in tasks]
        answer = grid.answer(of_runs, scratch, csv, list(failed.values()))
        for file in Path(scratch).iterdir():
            store.put_file(file)
    return Comparison(*answer)


def recall(
    store: Store, tasks: Sequence[Task], redo: bool
) -> tuple[dict[str, str], list[Task]]:
    """What the store holds, and the runs that it lacks, each once: settings may make one scenario
    twice."""
    by_name = {task.name: task for task in tasks}
    summaries: dict[str, str] = {}
    for name in sorted(store.names() & by_name.keys()):
        text = store.summary(name)
        try:
            _raddle.check_summary(text)
        except ValueError as error:
            if not redo:
                message = (
                    f"a damaged run: {store.place(name)}: {error}; redo=True runs what is damaged "
                    "again"
                )
                raise ScenarioError(message, [Problem(message)]) from None
            store.remove(name)
            continue
        summaries[name] = text
    return summaries, [task for name, task in by_name.items() if name not in summaries]
