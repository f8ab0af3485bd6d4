"""The commands' twins: the same words, the same defaults."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from . import _arguments, _classes, _progress, _raddle, _scenario
from ._arguments import Wrong, checked, one_of
from ._progress import Shown
from ._results import Answer, Comparison, Result
from ._scenario import AnyScenario, Seeds
from ._table import Table
from .scheme import Class, CongestionControl, PathSelector


@checked
def run(
    scenario: AnyScenario,
    seed: int | None = None,
    *,
    set: Mapping[str, Any] | None = None,
    threads: int = 1,
    progress: Shown | None = None,
    load_balance: Class[PathSelector] | None = None,
    congestion: Class[CongestionControl] | None = None,
) -> Result:
    """Run one simulation, as `raddle run`.

    `scenario` is a path, a TOML text, a dict or a `Scenario`. `seed`: else the scenario's first.
    `set` changes keys of the scenario by their dotted paths. `threads` inside the run; results do
    not depend on it. `progress` shows on a terminal's standard error or in a notebook, everywhere
    with `True`, nowhere with `False`; or a function draws it, of the share done and a text.

    `load_balance` and `congestion` are classes of Python that stand in for the scenario's
    (`raddle.scheme`), with one thread; what they raise ends the run. Where flows have several, as
    jobs with their own, `{"cubic": Class}` names the one that the class stands in for; so may several
    classes.

    Raises `ScenarioError` with every mistake of the scenario, before anything runs.
    """
    text = _scenario.text(scenario, set)
    seed, threads = _arguments.seed(seed), _arguments.threads(threads)
    classes = _classes.listed("load_balance", load_balance), _classes.listed("congestion", congestion)
    _classes.alone(threads, *classes)
    with _progress.shown(progress) as shown:
        return Result(_raddle.run(text, seed, threads, shown, *classes))


@checked
def compare(
    scenario: AnyScenario,
    *,
    set: Mapping[str, Any] | None = None,
    seeds: Seeds | None = None,
    metric: str | None = None,
    job: str | None = None,
    parallel: int | None = None,
    threads: int = 1,
    progress: Shown | None = None,
    load_balance: Class[PathSelector] | None = None,
    congestion: Class[CongestionControl] | None = None,
) -> Comparison:
    """Run a scenario's sweep with every seed and say which wins, as `raddle compare`.

    `seeds` as `"1..5"` (both included) or a list; else the scenario's. `metric` is what the runs are
    compared by: `"completion"`, `"fct.mean"`, `"fct.p99"`, `"slowdown.mean"`, `"slowdown.p99"`,
    `"slowdown.short.p99"`, `"busbw"`, `"goodput"`, `"pauses"` or another (a wrong word names all);
    else what the traffic is asked by. `job`: of this job alone, of one with groups the worst.
    `parallel` runs at a time: else as many as there are cores for `threads` threads each. Nothing is
    written; `report()` of the answer is the command's page. Runs that fail are left out of the
    answer, stand in its `failed` and are warned of; if all do, the first one's reason is raised.

    `load_balance` and `congestion` as of `run`: in a sweep over schemes `{"ops": Class}` runs the
    class where `ops` would run, under the name of the class, beside the others. Runs go one at a
    time then, unless `parallel` says otherwise: each holds Python's lock.
    """
    text = _scenario.text(scenario, with_seeds(set, seeds))
    parallel, threads = _arguments.parallel(parallel), _arguments.threads(threads)
    classes = _classes.listed("load_balance", load_balance), _classes.listed("congestion", congestion)
    _classes.alone(threads, *classes)
    if parallel is None and any(classes):
        parallel = 1
    with _progress.shown(progress) as shown:
        compared = _raddle.compare(text, (metric, job), parallel, threads, shown, *classes)
    answer = Comparison(compared.json(), compared.text(), compared.failed, compared)
    warn_of(answer.failed)
    return answer


def with_seeds(set: Mapping[str, Any] | None, seeds: Seeds | None) -> dict[str, Any]:
    """Changes to a scenario, the seeds among them."""
    changes = dict(set or {})
    if seeds is not None:
        changes["sweep.seed"] = seeds
    return changes


def warn_of(failed: Sequence[str]) -> None:
    """Warns of each run that failed."""
    for failure in failed:
        # Whoever called the call, which `checked` has wrapped.
        warnings.warn(failure, RuntimeWarning, stacklevel=4)


@checked
def bounds(scenario: AnyScenario, *, set: Mapping[str, Any] | None = None) -> Answer:
    """The lower bounds on a scenario's completion time (`us`), as `raddle bounds`: the object
    `raddle.bounds/1`. Nothing is simulated."""
    return Answer(*_raddle.bounds(_scenario.text(scenario, set)))


@checked
def inventory(scenario: AnyScenario, *, set: Mapping[str, Any] | None = None) -> Answer:
    """The switches, cables and optics of a scenario's fabric, as `raddle inventory`: the object
    `raddle.inventory/1`. Nothing is simulated."""
    return Answer(*_raddle.inventory(_scenario.text(scenario, set)))


@checked
def throughput(
    demand: str | os.PathLike[str] | Sequence[str],
    design: str | Sequence[str],
    *,
    nodes: int = 16,
    predicted: str | None = None,
    single_hop: bool = False,
    within: float | None = None,
    seed: int = 1,
    out: str | os.PathLike[str] | None = None,
    parallel: int | None = None,
    progress: Shown | None = None,
) -> Answer:
    """How much of a demand a circuit-switched design carries, as `raddle throughput`.

    `demand` is a file (text, .csv, .npy), a pattern (`"ring"`, `"skew:0.5"`, of `nodes` nodes) or a
    measured job; `design` has its parameters behind it: `"vermilion:k=6,rounding=any"`. With lists,
    or an `out`, all combinations are evaluated, `parallel` at a time, and `out` keeps each as it
    comes (`raddle.throughput_grid/1`); else the answer is `raddle.throughput/1`. `predicted` is the
    demand that the design is made for, if it is another one. `single_hop` leaves multi-hop
    throughput out; `within=0.01` bounds it to within a hundredth of what a flow carries
    (`multi_hop_found`), where solving it for many nodes takes hours. Throughputs are shares of a node's capacity while circuits are up.
    """
    nodes = _arguments.whole("nodes", nodes, 1)
    seed = _arguments.whole("seed", seed, 0)
    asked = (nodes, predicted, single_hop, _arguments.within(within), seed)
    parallel = _arguments.parallel(parallel)
    demands = [os.fspath(demand)] if isinstance(demand, (str, os.PathLike)) else [*demand]
    designs = [design] if isinstance(design, str) else [*design]
    if out is None and isinstance(demand, (str, os.PathLike)) and isinstance(design, str):
        return Answer(*_raddle.throughput(demands[0], designs[0], asked))
    kept = None if out is None else os.fspath(out)
    with _progress.shown(progress) as shown:
        grid = _raddle.throughput_grid(demands, designs, asked, kept, parallel, shown)
    answer = Answer(*grid)
    warn_of(answer.notes)
    return answer


@checked
def designs() -> str:
    """The designs of `throughput` with their parameters, and the demands that have a name."""
    return _raddle.designs()


@checked
def reproduce(
    name: str | None = None,
    *,
    quick: bool = False,
    set: Mapping[str, Any] | None = None,
    out: str | os.PathLike[str] | None = None,
    redo: bool = False,
    record: str | os.PathLike[str] | None = None,
    parallel: int | None = None,
    progress: Shown | None = None,
) -> Answer:
    """Run published figures again and judge each claim against its band, as `raddle reproduce`:
    the object `raddle.reproduce/1`.

    `name` is a paper (`"reps"`) or a figure (`"reps/fig4"`); else all. `quick`: fewer seeds or
    smaller messages, at most a minute a paper. `set` changes keys of the figures' scenarios, to see
    what that changes: the claims are judged as they are. `out` gets a page for each figure and
    keeps results: a figure that it holds is not run again, a damaged one with `redo`. `record` is a
    folder of figures whose `result.json` are written.
    """
    if quick and record is not None:
        raise Wrong(ValueError, "quick and record exclude each other")
    if set and record is not None:
        raise Wrong(ValueError, "set and record exclude each other")
    changes = _scenario.changes_of(set)
    paths = [None if path is None else os.fspath(path) for path in (out, record)]
    parallel = _arguments.parallel(parallel)
    with _progress.shown(progress) as shown:
        return Answer(*_raddle.reproduce(
            name, quick, changes, paths[0], redo, paths[1], parallel, shown))


@checked
def figures(name: str | None = None, *, pages: str | os.PathLike[str] | None = None) -> Answer:
    """The published figures and what their last full runs gave, as `raddle figures`: an object as
    of `reproduce`, as text the command's list or, with a name, claim by claim. `pages` is a folder
    that pages with pictures are written into."""
    if name is not None and pages is not None:
        raise Wrong(ValueError, "name and pages exclude each other")
    return Answer(*_raddle.figures(name, None if pages is None else os.fspath(pages)))


@checked
def schemes() -> list[dict[str, Any]]:
    """Every scheme: name, title, family, key of the scenario that selects it, summary, paper,
    needs, and parameters with default and meaning."""
    listed: list[dict[str, Any]] = json.loads(_raddle.schemes())
    return listed


@checked
def explain(table: Table | str | os.PathLike[str]) -> str:
    """What the columns of a table mean, with units: of a result's, or of a file that raddle
    wrote."""
    if not isinstance(table, Table):
        return _raddle.explain(os.fspath(table))
    lines = [f"{name} ({unit}): {doc}" if unit else f"{name}: {doc}"
             for name, unit, doc in table.columns]
    return "\n".join([table.meaning, *lines])


@checked
def theory(model: str | None = None, *, seed: int = 1, **parameters: Any) -> dict[str, Any]:
    """The numbers of a model that needs no simulation, or all models without one; the object that
    `raddle theory --json` prints. Parameters as the command's options."""
    given = [(name, str(value)) for name, value in parameters.items()]
    seed = _arguments.whole("seed", seed, 0)
    answer: dict[str, Any] = json.loads(_raddle.theory(model, given, seed))
    return answer


@checked
def train(
    scheme: str,
    scenario: AnyScenario,
    out: str | os.PathLike[str] | None = None,
    *,
    set: Mapping[str, Any] | None = None,
    seeds: Seeds | None = None,
    trees: int = 4,
    depth: int = 4,
    share: float = 0.4,
    per_switch: bool = False,
    seed: int = 1,
    parallel: int | None = None,
    progress: Shown | None = None,
) -> dict[str, Any]:
    """Fit what predicts drops for `scheme`, `"credence"`, as `raddle train`: run the scenario, whose
    memory is `longest_queue_drop`'s, and fit a random forest to what became of each packet.

    `out` is written as the file that `oracle_file` takes. `share` of the rows are fitted to, the rest
    scores. `seed` draws the split and the trees; `seeds` are those of the runs. The answer is the
    object `raddle.train/1`: scores, counts, and the forests in `oracle`.
    """
    one_of("scheme", scheme, ["credence"])
    changes = with_seeds(set, seeds)
    changes["record.training"] = True
    text = _scenario.text(scenario, changes)
    whole = _arguments.whole("trees", trees, 1), _arguments.whole("depth", depth, 1)
    asked = (*whole, float(share), per_switch, _arguments.whole("seed", seed, 0))
    parallel = _arguments.parallel(parallel)
    origin = (
        f"raddle.train: trees = {trees}, depth = {depth}, share = {share}, "
        f"per_switch = {per_switch}, seed = {seed}"
    )
    with _progress.shown(progress) as shown:
        answer, words = _raddle.train(text, asked, origin, parallel, shown)
    if out is not None:
        with open(out, "w", encoding="utf-8") as file:
            file.write(words)
    model: dict[str, Any] = json.loads(answer)
    return model
