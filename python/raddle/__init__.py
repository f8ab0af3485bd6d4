"""The laboratory for AI-training fabrics: a fast, deterministic packet-level simulator.

    import raddle
    result = raddle.run("scenarios/all_reduce.toml", seed=3)
    result.summary["completion_us"]
    result.flows["fct_us"]          # a column; result.flows.to_pandas() all of them
"""

from __future__ import annotations

from . import _raddle, build, plot, scheme
from ._advise import advise
from ._calls import (
    bounds,
    compare,
    designs,
    explain,
    figures,
    inventory,
    reproduce,
    run,
    schemes,
    theory,
    throughput,
    train,
)
from ._errors import Problem, ScenarioError
from ._results import Answer, Comparison, Page, Result
from ._scenario import Scenario
from ._sweep import sweep
from ._table import Column, Table

__all__ = [
    "Answer",
    "Column",
    "Comparison",
    "Page",
    "Problem",
    "Result",
    "Scenario",
    "ScenarioError",
    "Table",
    "advise",
    "bounds",
    "build",
    "compare",
    "designs",
    "explain",
    "figures",
    "inventory",
    "plot",
    "reproduce",
    "run",
    "scheme",
    "schemes",
    "sweep",
    "theory",
    "throughput",
    "train",
]

__version__: str = _raddle.BUILD
