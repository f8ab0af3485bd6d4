"""The laboratory for AI-training fabrics: a fast, deterministic packet-level simulator.

    import raddle
    result = raddle.run("scenarios/all_reduce.toml", seed=3)
    result.summary["completion_us"]
    pyarrow.table(result.flows)
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Mapping
from typing import Any

from . import _raddle, _scenario
from ._errors import Problem, ScenarioError
from ._raddle import Table
from ._scenario import Scenario

__all__ = [
    "Comparison",
    "Problem",
    "Result",
    "ScenarioError",
    "Table",
    "compare",
    "explain",
    "run",
    "schemes",
    "theory",
]

__version__: str = _raddle.BUILD


class Result:
    """A finished run: numbers in `summary`, a table as the attribute of its name."""

    def __init__(self, run: _raddle.Run) -> None:
        self._run = run
        self._made: dict[str, Table] = {}
        self.summary: dict[str, Any] = json.loads(run.summary_json())
        """The object that `raddle run --json` prints; units stand in the names."""

    @property
    def tables(self) -> list[str]:
        """Names of the tables that this run has."""
        return self._run.tables()

    @property
    def notes(self) -> list[str]:
        """What was accepted and deserves a word."""
        return self._run.notes

    @property
    def resolved(self) -> str:
        """The scenario with every default filled in, as TOML."""
        return self._run.resolved

    def table(self, name: str) -> Table:
        """The table of this name; `KeyError` if the run has none."""
        if name not in self._made:
            self._made[name] = self._run.table(name)
        return self._made[name]

    def __getattr__(self, name: str) -> Table:
        if not name.startswith("_") and name in self._run.tables():
            return self.table(name)
        raise AttributeError(f"{name}: this run has the tables {', '.join(self.tables)}", name=name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.tables]

    def __str__(self) -> str:
        return self._run.text()


class Comparison(dict[str, Any]):
    """The object `raddle.compare/1` as a dict; as text the table that the command prints."""

    def __init__(self, answer: str, text: str, failed: list[str]) -> None:
        super().__init__(json.loads(answer))
        self._text = text
        self.failed = failed
        """Seed, settings and reason of each run that failed."""

    def __str__(self) -> str:
        return self._text


def _progress(progress: bool | None) -> bool:
    return sys.stderr is not None and sys.stderr.isatty() if progress is None else progress


def run(
    scenario: Scenario,
    seed: int | None = None,
    *,
    set: Mapping[str, Any] | None = None,
    threads: int = 1,
    progress: bool | None = None,
) -> Result:
    """Run one simulation, as `raddle run`.

    `scenario` is a path, a TOML text or a dict. `seed`: else the scenario's first. `set` changes
    keys of the scenario by their dotted paths. `threads` inside the run; results do not depend on
    it. `progress` on standard error: else where that is a terminal.

    Raises `ScenarioError` with every mistake of the scenario, before anything runs.
    """
    text = _scenario.text(scenario, set)
    return Result(_raddle.run(text, seed, _threads(threads), _progress(progress)))


def compare(
    scenario: Scenario,
    *,
    set: Mapping[str, Any] | None = None,
    seeds: str | list[int] | range | None = None,
    parallel: int | None = None,
    threads: int = 1,
    progress: bool | None = None,
) -> Comparison:
    """Run a scenario's sweep with every seed and say which wins, as `raddle compare`.

    `seeds` as `"1..5"` (both included) or a list; else the scenario's. `parallel` runs at a time:
    else as many as there are cores for `threads` threads each. Nothing is written. Runs that fail
    are left out of the answer, stand in its `failed` and are warned of; if all do, the first
    one's reason is raised.
    """
    changes = dict(set or {})
    if seeds is not None:
        changes["sweep.seed"] = seeds
    text = _scenario.text(scenario, changes)
    answer = _raddle.compare(text, parallel, _threads(threads), _progress(progress))
    comparison = Comparison(*answer)
    for failure in comparison.failed:
        warnings.warn(failure, RuntimeWarning, stacklevel=2)
    return comparison


def _threads(threads: int) -> int:
    if threads < 1:
        raise ValueError(f"threads = {threads}: at least 1")
    return threads


def schemes() -> list[dict[str, Any]]:
    """Every scheme: name, title, family, key of the scenario that selects it, summary, paper,
    needs, and parameters with default and meaning."""
    listed: list[dict[str, Any]] = json.loads(_raddle.schemes())
    return listed


def explain(table: Table | str | os.PathLike[str]) -> str:
    """What the columns of a table mean, with units: of a result's, or of a file that raddle
    wrote."""
    if not isinstance(table, Table):
        return _raddle.explain(os.fspath(table))
    lines = [f"{name} ({unit}): {doc}" if unit else f"{name}: {doc}"
             for name, unit, doc in table.columns]
    return "\n".join([table.meaning, *lines])


def theory(model: str | None = None, *, seed: int = 1, **parameters: Any) -> dict[str, Any]:
    """The numbers of a model that needs no simulation, or all models without one; the object that
    `raddle theory --json` prints. Parameters as the command's options."""
    given = [(name, str(value)) for name, value in parameters.items()]
    answer: dict[str, Any] = json.loads(_raddle.theory(model, given, seed))
    return answer
