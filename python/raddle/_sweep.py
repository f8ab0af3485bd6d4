"""A grid of runs, kept one by one, on this machine or on many."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import _arguments, _executors, _progress, _raddle, _scenario
from ._calls import warn_of, with_seeds
from ._errors import Problem, ScenarioError
from ._executors import Task
from ._progress import Shown
from ._results import Comparison
from ._scenario import AnyScenario, Seeds, Text
from ._store import Store, open_store


def sweep(
    scenario: AnyScenario,
    out: str | os.PathLike[str],
    *,
    set: Mapping[str, Any] | None = None,
    seeds: Seeds | None = None,
    redo: bool = False,
    csv: bool = False,
    parallel: int | None = None,
    threads: int = 1,
    executor: Any = None,
    progress: Shown | None = None,
) -> Comparison:
    """Run a large grid and keep its runs one by one, as `raddle sweep`; interrupted, it resumes.

    `out` is the folder that keeps the runs, or a URL that fsspec knows (`s3://bucket/grid`); runs
    that it holds are not repeated, damaged ones with `redo`. Tables are Parquet, or `csv`.
    `parallel` runs at a time and `threads` inside each, as of `compare`.

    `executor` says who runs them: without one, threads of this process (processes, where `out` is a
    URL); `"local"`, processes of this machine; `"slurm"`; `"ray"` or `"ray://HOST:PORT"`; or an
    executor of `concurrent.futures` or submitit. Rows do not depend on it. A run is written whole
    or not at all; one whose worker died is run again.
    """
    text = _scenario.text(scenario, with_seeds(set, seeds))
    answer = sweep_text(text, out, redo, csv, parallel, threads, executor, progress)
    warn_of(answer.failed)
    return answer


def sweep_text(
    text: Text,
    out: str | os.PathLike[str],
    redo: bool,
    csv: bool,
    parallel: int | None,
    threads: int,
    executor: Any,
    progress: Shown | None,
) -> Comparison:
    """The same of a scenario's text."""
    parallel, threads = _arguments.parallel(parallel), _arguments.threads(threads)
    place = os.fspath(out)
    if executor is None and "://" not in place:
        with _progress.shown(progress) as shown:
            return Comparison(*_raddle.sweep(text, place, redo, csv, parallel, threads, shown))
    grid = _raddle.Grid(text)
    store = open_store(place)
    if parallel is None:
        parallel = max(1, (os.cpu_count() or 1) // threads)
    run = _executors.choose(executor, parallel, threads)
    if "://" not in place:
        # Workers may stand in another folder.
        place = os.path.abspath(place)
    tasks = [
        Task(name, where, scenario, tuple(files), memory, place, csv, threads)
        for name, where, scenario, files, memory in grid.runs()
    ]
    summaries, open_tasks = _recall(store, tasks, redo)
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


def _recall(
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
