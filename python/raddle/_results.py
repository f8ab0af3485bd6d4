"""What calls give: objects of the command as dicts, tables through Arrow, pages."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Protocol, Union

from . import _arguments, _raddle
from ._arguments import Wrong, checked, near
from ._table import Table, need


def _path(path: str | os.PathLike[str] | None) -> str | None:
    return None if path is None else os.fspath(path)


class _Page(Protocol):
    def report(self, call: str) -> str: ...


class Page(str):
    """A page that opens offline, as text; a notebook shows it inline."""

    def _repr_html_(self) -> str:
        # A frame of its own: the page's styles and scripts are not the notebook's.
        text = self.replace("&", "&amp;").replace('"', "&quot;")
        return f'<iframe srcdoc="{text}" width="100%" height="720" style="border:0"></iframe>'

    def __repr__(self) -> str:
        return f"Page({len(self)} characters of HTML)"

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the page into a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self)


class Answer(dict[str, Any]):
    """An object that the command prints with `--json`, as a dict; as text what it prints
    without."""

    def __init__(self, answer: str, text: str, notes: list[str] | None = None) -> None:
        super().__init__(json.loads(answer))
        self._text = text
        self.notes = notes or []
        """What was accepted and deserves a word."""

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        keys = ", ".join(key for key in self if key != "schema")
        return f"Answer({self.get('schema', 'an object')!r}, keys {keys})"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self._text, quote=False)}</pre>"


class Comparison(dict[str, Any]):
    """The object `raddle.compare/2` as a dict; as text the table that the command prints."""

    def __init__(
        self, answer: str, text: str, failed: list[str], page: _Page | None = None
    ) -> None:
        super().__init__(json.loads(answer))
        self._text = text
        self._page = page
        self.failed = failed
        """Seed, settings and reason of each run that failed."""

    def __str__(self) -> str:
        return self._text

    def report(self) -> Page:
        """The page that `raddle compare` writes; of a sweep, which keeps no pictures, there is
        none (`ValueError`)."""
        if self._page is None:
            raise ValueError("a sweep keeps no pictures: `raddle.compare` has a report")
        return Page(self._page.report("raddle.compare(..)"))

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame` with a row for each cell: what is compared, the condition, mean,
        interval and the value of each seed; needs pandas."""
        [pandas] = need("raddle.Comparison.to_pandas", "pandas")
        return pandas.DataFrame(self["cells"])

    def to_polars(self) -> Any:
        """The same as a `polars.DataFrame`; needs polars."""
        [polars] = need("raddle.Comparison.to_polars", "polars")
        return polars.DataFrame(self["cells"], infer_schema_length=None)

    def __repr__(self) -> str:
        unit = f" ({self['unit']})" if self["unit"] else ""
        rows, columns, seeds = self["rows"], self["columns"], self["seeds"]
        return (
            f"Comparison({self['title']!r}, {self['metric']}{unit} of {', '.join(rows)}; "
            f"{len(columns)} conditions, {len(seeds)} seeds, {len(self.failed)} failed)"
        )

    def _repr_html_(self) -> str:
        text = f"<pre>{escape(self._text, quote=False)}</pre>"
        return text if self._page is None else self.report()._repr_html_()


@dataclass
class _Kept:
    """A run as pickles hold it."""

    summary: str
    words: str
    title: str
    resolved: str
    machine: str
    notes: list[str]
    drawn: str
    made: dict[str, Table]

    def summary_json(self) -> str:
        return self.summary

    def text(self) -> str:
        return self.words

    def picture(self) -> str:
        return self.drawn

    def tables(self) -> list[str]:
        return list(self.made)

    def keep(self, folder: str) -> None:
        told = json.loads(self.summary)
        for table in self.made.values():
            table.keep(folder, told["scenario"], told["seed"])


class Result:
    """A finished run: numbers in `summary`, a table as the attribute of its name, or by it in
    brackets; iteration gives the names of tables. Two results are equal that have one scenario, seed
    and `results_hash`."""

    def __init__(self, run: _raddle.Run) -> None:
        self._run: Union[_raddle.Run, _Kept] = run
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
            if name not in self.tables:
                raise KeyError(self._no_table(name))
            assert isinstance(self._run, _raddle.Run), "others have all of theirs"
            self._made[name] = Table(self._run.table(name))
        return self._made[name]

    def _no_table(self, name: str) -> str:
        tables = self.tables
        return f"no table {name!r}: this run has {', '.join(tables)}{near(str(name), tables)}"

    def __getitem__(self, name: str) -> Table:
        return self.table(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def __contains__(self, name: object) -> bool:
        return name in self.tables

    def __len__(self) -> int:
        return len(self.tables)

    def report(self) -> Page:
        """The run as a page: completion times, and queues and utilisation over time where the
        scenario has a `[record]`."""
        run, call = self._run, f"raddle.run(.., seed={self.summary['seed']})"
        return Page(
            _raddle.page_of(
                call, run.title, run.resolved, run.machine, run.summary_json(), run.picture()
            )
        )

    @checked
    def export(
        self,
        *,
        pcapng: str | os.PathLike[str] | None = None,
        perfetto: str | os.PathLike[str] | None = None,
        csv: str | os.PathLike[str] | None = None,
        parquet: str | os.PathLike[str] | None = None,
        flows: Sequence[int] = (),
        hops: int | None = None,
    ) -> list[str]:
        """Write the run for other tools, as `raddle export` does: packets as a capture for
        Wireshark, all over time as a trace for Perfetto, tables into folders. `flows` leaves packets
        of these flows alone; `hops` is the most that a trace may have. Gives what the files lack, in
        words. What was not recorded is a `ScenarioError` with the line that records it."""
        packets = pcapng is not None or perfetto is not None
        if not packets and csv is None and parquet is None:
            raise Wrong(ValueError, "nothing to write: name pcapng, perfetto, csv or parquet")
        chosen = [_arguments.whole("flows", flow, 0) for flow in flows]
        most = None if hops is None else _arguments.whole("hops", hops, 1)
        if chosen and not packets:
            why = "has no effect without pcapng or perfetto: tables are written whole"
            raise Wrong(ValueError, f"flows = {chosen} {why}")
        if most is not None and perfetto is None:
            raise Wrong(ValueError, f"hops = {most} has no effect without perfetto")
        with tempfile.TemporaryDirectory() as folder:
            self._run.keep(folder)
            for name, text in (
                ("run.json", self._run.summary_json()), ("scenario.toml", self._run.resolved)
            ):
                (Path(folder) / name).write_text(text, encoding="utf-8")
            return _raddle.export(
                folder, _path(pcapng), _path(perfetto), _path(csv), _path(parquet), chosen, most
            )

    def _repr_html_(self) -> str:
        return self.report()._repr_html_()

    def __getattr__(self, name: str) -> Table:
        # Before `__init__`, as a copy is made, there is no run to ask.
        if not name.startswith("_") and name in self.tables:
            return self.table(name)
        raise AttributeError("" if name.startswith("_") else self._no_table(name), name=name, obj=self)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.tables]

    def _key(self) -> tuple[Any, ...]:
        return tuple(self.summary[key] for key in ("scenario", "seed", "results_hash"))

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Result) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __getstate__(self) -> dict[str, Any]:
        """With every table: what it came from stays behind."""
        run, tables = self._run, {name: self.table(name) for name in self.tables}
        kept = _Kept(
            run.summary_json(), run.text(), run.title, run.resolved, run.machine, run.notes,
            run.picture(), tables,
        )
        return {"_run": kept, "_made": tables, "summary": self.summary}

    def __repr__(self) -> str:
        us = self.summary["completion_us"]
        came_to = "not completed" if us is None else f"completion_us={us:g}"
        return (
            f"Result({self._run.title!r}, seed={self.summary['seed']}, {came_to}, "
            f"tables {', '.join(self.tables)})"
        )

    def __str__(self) -> str:
        return self._run.text()
