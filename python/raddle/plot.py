"""Pictures of results that a notebook expects, with matplotlib; each gives the `Axes` it drew on.

Needs `pip install 'raddle[plots]'`: matplotlib.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from ._arguments import Wrong, checked, near, one_of
from ._results import Comparison, Result
from ._table import need

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["compare", "completion", "links", "over_time", "probe"]


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    # The picture belongs to the notebook, and to nothing global where there is none.
    [pyplot] = need("raddle.plot", "matplotlib.pyplot")
    axes: Axes = pyplot.subplots(layout="constrained")[1]
    return axes


def _columns(result: Result, table: str, *names: str) -> list[list[Any]]:
    return [result[table][name].to_list() for name in names]


@checked
def completion(results: Result | Mapping[str, Result], *, ax: Axes | None = None) -> Axes:
    """The distribution of flow completion times (us): which share of the flows had completed by
    then. Several results by their names; flows that never completed keep a curve below 1."""
    axes = _axes(ax)
    named = {"": results} if isinstance(results, Result) else results
    for name, result in named.items():
        [times] = _columns(result, "flows", "fct_us")
        done = sorted(time for time in times if time is not None)
        shares = [(place + 1) / len(times) for place in range(len(done))]
        # From the start, so that the first step shows.
        axes.step([0.0, *done], [0.0, *shares], where="post", label=name or None)
    axes.set(xlabel="flow completion time (us)", ylabel="share of flows", ylim=(0, 1.02))
    axes.set_xlim(left=0)
    if len(named) > 1:
        axes.legend()
    return axes


QUANTITIES = {
    "queue": ("queue_bytes_max", "most bytes queued (B)"),
    "utilisation": ("utilisation_pct", "utilisation (%)"),
}


@checked
def over_time(
    result: Result,
    quantity: Literal["queue", "utilisation"] = "queue",
    *,
    ax: Axes | None = None,
) -> Axes:
    """The queue (B) or the utilisation (%) of each port that the scenario's `[record]` names, over
    time (us). `ValueError` where it records no ports."""
    one_of("quantity", quantity, QUANTITIES)
    if "series" not in result.tables:
        raise Wrong(ValueError, 'no port was recorded: [record] ports = ["tor0.up*"] does')
    axes = _axes(ax)
    column, label = QUANTITIES[quantity]
    ports, times, values = _columns(result, "series", "name", "time_us", column)
    for port in dict.fromkeys(ports):
        own = [place for place, name in enumerate(ports) if name == port]
        axes.step(
            [times[place] for place in own], [values[place] for place in own],
            where="post", label=port,
        )
    axes.set(xlabel="time (us)", ylabel=label)
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    axes.legend()
    return axes


@checked
def probe(result: Result, word: str, *, ax: Axes | None = None) -> Axes:
    """A number that schemes show of themselves, as `window` or `alpha`, over time (us): a line for
    each flow, switch or port that the scenario's `[record] probes` keeps it of. `ValueError` where it
    keeps none of that word."""
    if "probes" not in result.tables:
        raise Wrong(ValueError, 'nothing was kept: [record] probes = ["window"], flows = [0] does')
    columns = ("time_us", "flow", "switch", "port", "probe", "value", "unit")
    rows = [row for row in zip(*_columns(result, "probes", *columns)) if row[4] == word]
    if not rows:
        known = sorted(set(_columns(result, "probes", "probe")[0]))
        listed = ", ".join(known)
        raise Wrong(ValueError, f"word = {word!r}: kept were {listed}{near(word, known)}")
    lines: dict[str, tuple[list[float], list[float]]] = {}
    for time, flow, switch, port, _, value, _ in rows:
        name = f"flow {flow}" if switch is None else switch
        name = name if port is None else f"{name}, port {port}"
        times, values = lines.setdefault(name, ([], []))
        times.append(time)
        values.append(value)
    axes = _axes(ax)
    for name, (times, values) in lines.items():
        axes.step(times, values, where="post", label=name)
    unit = rows[0][6]
    axes.set(xlabel="time (us)", ylabel=f"{word} ({unit})" if unit not in ("", "count") else word)
    axes.set_xlim(left=0)
    axes.legend()
    return axes


@checked
def links(result: Result, *, ax: Axes | None = None) -> Axes:
    """The heat of the fabric's links: of each, the share of the run in which it carried bits (%); a
    row for each direction between two tiers, links in the order of their ports."""
    axes = _axes(ax)
    run_us = result.summary["completion_us"] or max(
        (time or 0 for time in _columns(result, "flows", "delivered_us")[0]), default=0
    )
    columns = _columns(result, "ports", "node", "peer", "sent_bytes", "rate_gbps")
    layers: dict[str, list[float]] = {}
    for node, peer, sent, rate in zip(*columns):
        layer = f"{_tier(node)} to {_tier(peer)}"
        carried_us = 8e-3 * sent / rate
        layers.setdefault(layer, []).append(100 * carried_us / run_us if run_us else 0)
    width = max(map(len, layers.values()))
    heat = [own + [math.nan] * (width - len(own)) for own in layers.values()]
    image = axes.imshow(heat, aspect="auto", vmin=0, vmax=100, interpolation="nearest")
    axes.set(xlabel="link", yticks=range(len(layers)), yticklabels=list(layers))
    axes.figure.colorbar(image, ax=axes, label="utilisation (%)")
    return axes


def _tier(name: str) -> str:
    """`tor` of `tor12`."""
    return re.sub(r"\d+$", "", name)


@checked
def compare(comparison: Comparison, *, ax: Axes | None = None) -> Axes:
    """Schemes against conditions: the mean of the metric over seeds with its 95 % confidence
    interval, and the bound of each condition as a line; `never` where some seed's run never
    completed."""
    axes = _axes(ax)
    rows, columns = comparison["rows"], comparison["columns"]
    cells = {(cell["row"], cell["column"]): cell for cell in comparison["cells"]}
    width = 0.8 / max(len(rows), 1)
    for number, row in enumerate(rows):
        own = [cells[row, column["name"]] for column in columns]
        places = [place + (number - (len(rows) - 1) / 2) * width for place in range(len(columns))]
        means = [math.nan if cell["mean"] is None else cell["mean"] for cell in own]
        halves = [cell["ci95_half"] or 0 for cell in own]
        # No value is below zero, however wide the interval.
        below = [half if math.isnan(mean) else min(half, mean) for half, mean in zip(halves, means)]
        [*bars] = axes.bar(places, means, width, yerr=[below, halves], capsize=3, label=row)
        for bar, place, mean in zip(bars, places, means):
            if math.isnan(mean):
                # In the axes' own height: there is no value to stand at.
                axes.text(
                    place, 0.02, "never", rotation=90, ha="center", va="bottom",
                    color=bar.get_facecolor(), transform=axes.get_xaxis_transform(),
                )
    for place, column in enumerate(columns):
        bounds = [bound for bound in column["bounds"] or [] if bound is not None]
        if bounds:
            best = min(bounds) if comparison["better"] == "lower" else max(bounds)
            axes.hlines(best, place - 0.45, place + 0.45, colors="black", linestyles="dotted")
    unit = f" ({comparison['unit']})" if comparison["unit"] else ""
    axes.set(ylabel=f"{comparison['metric_title']}{unit}", xticks=range(len(columns)))
    axes.set_xticklabels([column["name"] for column in columns])
    if len(columns) == 1 and not columns[0]["name"]:
        axes.set_xticks([])
    # Beside the bars, which fill the picture.
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    axes.set_title(comparison["title"], fontsize="medium")
    return axes
