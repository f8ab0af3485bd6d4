"""What calls give: objects of the command as dicts, tables through Arrow, pages."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from typing import Any, Protocol

from . import _arguments, _raddle
from ._raddle import Table


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

    def write(self, path: str) -> None:
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

    def _repr_html_(self) -> str:
        text = self._text.replace("&", "&amp;").replace("<", "&lt;")
        return f"<pre>{text}</pre>" if self._page is None else self.report()._repr_html_()


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

    def report(self) -> Page:
        """The run as a page: completion times, and queues and utilisation over time where the
        scenario has a `[record]`."""
        return Page(self._run.report(f"raddle.run(.., seed={self.summary['seed']})"))

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
        if pcapng is None and perfetto is None and csv is None and parquet is None:
            raise ValueError("nothing to write: name `pcapng`, `perfetto`, `csv` or `parquet`")
        chosen = [_arguments.whole("flows", flow, 0) for flow in flows]
        most = None if hops is None else _arguments.whole("hops", hops, 1)
        with tempfile.TemporaryDirectory() as folder:
            self._run.keep(folder)
            return _raddle.export(
                folder, _path(pcapng), _path(perfetto), _path(csv), _path(parquet), chosen, most
            )

    def _repr_html_(self) -> str:
        return self.report()._repr_html_()

    def __getattr__(self, name: str) -> Table:
        if not name.startswith("_") and name in self._run.tables():
            return self.table(name)
        raise AttributeError(f"{name}: this run has the tables {', '.join(self.tables)}", name=name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.tables]

    def __str__(self) -> str:
        return self._run.text()
