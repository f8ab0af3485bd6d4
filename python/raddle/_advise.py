"""Which candidate of a question is best, by how much, how sure, and what would change that."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import _arguments, _executors, _progress, _raddle, _scenario
from ._arguments import Wrong, checked
from ._executors import Task
from ._progress import Shown
from ._results import Answer
from ._scenario import AnyScenario
from ._store import Store, open_store
from ._sweep import recall

ANSWER = "advice.json"
PAGE = "advice.html"
RUNS = "runs"


@checked
def advise(
    question: AnyScenario,
    out: str | os.PathLike[str] | None = None,
    *,
    count: bool = False,
    again: Mapping[str, Any] | None = None,
    redo: bool = False,
    parallel: int | None = None,
    threads: int = 1,
    executor: Any = None,
    progress: Shown | None = None,
) -> Answer:
    """Say which candidate of a question is best, as `raddle advise`: the object `raddle.advise/1`.

    `question` is a path, a TOML text or a dict of the keys of a question. `out` is the folder that
    gets the answer (`advice.json`, and `advice.html`, a page that opens offline) and keeps the runs;
    runs that it holds are not repeated, damaged ones with `redo`. `count` counts the parts of the
    candidates and runs nothing (`raddle.advise_count/1`). `again` weighs the runs of `out` by other
    rates, weights and prices, by their paths, `{"failure.0.mtbf": "5e5 h"}`, and runs nothing.
    `parallel`, `threads` and `executor` as of `sweep`: the answer does not depend on them.
    """
    asked = _raddle.Question(_scenario.text(question, again))
    if count:
        return Answer(*asked.count())
    if out is None:
        raise Wrong(ValueError, "out is needed, the folder that keeps the runs, unless count is True")
    parallel, threads = _arguments.parallel(parallel), _arguments.threads(threads)
    folder = Path(os.fspath(out))
    if again:
        return Answer(*asked.again(_raddle.read_text(str(folder / ANSWER))), asked.published)
    if executor is None:
        with _progress.shown(progress) as shown:
            answer = asked.ask(str(folder), redo, parallel, threads, shown)
        return Answer(*answer, asked.published)
    folder.mkdir(parents=True, exist_ok=True)
    return _by_others(asked, folder.absolute(), redo, parallel, threads, executor, progress)


def _by_others(
    asked: _raddle.Question,
    folder: Path,
    redo: bool,
    parallel: int | None,
    threads: int,
    executor: Any,
    progress: Shown | None,
) -> Answer:
    """The same with runs that others make, a batch a round."""
    store = open_store(folder / RUNS)
    if parallel is None:
        parallel = max(1, (os.cpu_count() or 1) // threads)
    run = _executors.choose(executor, parallel, threads)
    summaries: dict[str, str] = {}
    begin = time.monotonic()
    while True:
        spent = asked.budget_s is not None and time.monotonic() - begin > asked.budget_s
        runs = asked.next(list(summaries.values()), spent)
        if runs is None:
            break
        tasks = [
            Task(
                name, place, scenario, tuple(files), memory, str(folder / RUNS), False, threads,
                ([], [], ""),
            )
            for name, place, scenario, files, memory in runs
        ]
        _round(tasks, summaries, store, redo, run, progress)
    answer, text, page = asked.answered(list(summaries.values()), spent)
    (folder / ANSWER).write_text(answer, encoding="utf-8")
    (folder / PAGE).write_text(page, encoding="utf-8")
    return Answer(answer, text, asked.published)


def _round(
    tasks: list[Task],
    summaries: dict[str, str],
    store: Store,
    redo: bool,
    run: _executors.Executor,
    progress: Shown | None,
) -> None:
    """Makes the runs of a round that the store lacks."""
    found, lacking = recall(store, tasks, redo)
    summaries.update(found)
    failed: list[str] = []
    with _progress.shown(progress) as shown:

        def done(task: Task, result: str | Exception) -> None:
            if isinstance(result, str):
                summaries[task.name] = result
            else:
                failed.append(f"{task.place}: {result}")
            finished = sum(own.name in summaries for own in tasks) + len(failed)
            _progress.draw_runs(shown, finished, len(tasks))

        if lacking:
            run(lacking, done)
    store.clear(summaries.keys())
    if failed:
        raise RuntimeError(failed[0])
