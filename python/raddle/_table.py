"""Tables of runs: columns by name, frames of other libraries, pickles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from importlib import import_module
from typing import Any, SupportsIndex, overload

from . import _raddle
from ._arguments import near

SHOWN = 10
"""Rows of a table that a notebook shows."""


def need(call: str, *modules: str) -> list[Any]:
    """Modules that a call needs; `ImportError` says how to install them."""
    try:
        return [import_module(module) for module in modules]
    except ImportError as error:
        modules = tuple(module.partition(".")[0] for module in modules)
        install = " ".join(modules)
        raise ImportError(
            f"{call}() needs {' and '.join(modules)}: pip install {install} ({error})",
            name=error.name,
        ) from error


class Column(Sequence[Any]):
    """A column of a table: a sequence of ints, floats, texts or flags, `None` where a row has no
    value. `numpy.asarray(column)` is an array, with `nan` there."""

    __slots__ = ("_number", "_table", "meaning", "name", "unit")

    def __init__(self, table: _raddle.Table, number: int) -> None:
        self._table = table
        self._number = number
        self.name, self.unit, self.meaning = table.columns[number]

    @overload
    def __getitem__(self, place: SupportsIndex) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> list[Any]: ...
    def __getitem__(self, place: SupportsIndex | slice) -> Any:
        if isinstance(place, slice):
            return self.to_list()[place]
        row, rows = place.__index__(), len(self)
        if not -rows <= row < rows:
            raise IndexError(f"row {row}: the column {self.name!r} has {rows} rows")
        row %= rows
        return self._table.values(self._number, row, row + 1)[0]

    def __len__(self) -> int:
        return self._table.num_rows

    def __iter__(self) -> Iterator[Any]:
        return iter(self.to_list())

    def to_list(self) -> list[Any]:
        """The values as a list."""
        return self._table.values(self._number, 0, len(self))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        [numpy] = need("raddle.Column.__array__", "numpy")
        numbers = self._table.numbers(self._number)
        if numbers is None:
            array = numpy.array(self.to_list(), dtype=object)
        else:
            # Of an array of its own: bytes cannot be written to.
            array = numpy.frombuffer(numbers[1], dtype=numbers[0]).copy()
        return array if dtype is None else array.astype(dtype, copy=False)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Column):
            return NotImplemented
        own, others = (self.name, self.unit, self.meaning), (other.name, other.unit, other.meaning)
        return own == others and self.to_list() == other.to_list()

    __hash__ = None  # type: ignore[assignment]  # as of a list

    def __repr__(self) -> str:
        values = ", ".join(map(repr, self._table.values(self._number, 0, min(5, len(self)))))
        unit = f" ({self.unit})" if self.unit else ""
        more = ", .." if len(self) > 5 else ""
        return f"Column({self.name!r}{unit}, {len(self)} rows: {values}{more})"


class Table:
    """A table of a run: `table["fct_us"]` is a column, iteration gives their names, and `len` the
    number of rows. `pyarrow.table(t)` and `polars.DataFrame(t)` take it without a copy."""

    __slots__ = ("_own",)

    def __init__(self, own: _raddle.Table) -> None:
        self._own = own

    @property
    def name(self) -> str:
        """Its name, which is that of its file."""
        return self._own.name

    @property
    def meaning(self) -> str:
        """What a row is."""
        return self._own.meaning

    @property
    def num_rows(self) -> int:
        """How many rows it has."""
        return self._own.num_rows

    @property
    def columns(self) -> list[tuple[str, str, str]]:
        """Of each column its name, its unit and its meaning."""
        return self._own.columns

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._own.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return self._own.num_rows

    def __iter__(self) -> Iterator[str]:
        return (name for name, _, _ in self._own.columns)

    def __contains__(self, name: object) -> bool:
        return name in list(self)

    def __getitem__(self, name: str) -> Column:
        names = list(self)
        if name not in names:
            raise KeyError(f"table {self.name!r} has no column {name!r}{near(str(name), names)}")
        return Column(self._own, names.index(name))

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame`; needs pandas and pyarrow."""
        _, pyarrow = need("raddle.Table.to_pandas", "pandas", "pyarrow")
        return pyarrow.table(self).to_pandas()

    def to_polars(self) -> Any:
        """A `polars.DataFrame`, without a copy; needs polars."""
        [polars] = need("raddle.Table.to_polars", "polars")
        return polars.DataFrame(self)

    def keep(self, folder: str, scenario: str, seed: int) -> None:
        """Write it as Parquet, as `raddle run --out` does."""
        self._own.keep(folder, scenario, seed)

    def __eq__(self, other: object) -> bool:
        return self._own == other._own if isinstance(other, Table) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # as of a list

    def __repr__(self) -> str:
        names = list(self)
        listed = ", ".join(names[:8]) + (", .." if len(names) > 8 else "")
        return f"Table({self.name!r}, {len(self)} rows, {len(names)} columns: {listed})"

    def _repr_html_(self) -> str:
        def text(value: Any) -> str:
            shown = "" if value is None else f"{value:.6g}" if isinstance(value, float) else value
            return f"<td>{escape(str(shown))}</td>"

        heads = "".join(
            f'<th title="{escape(meaning)}">{escape(name)}</th>'
            for name, _, meaning in self.columns
        )
        shown = min(SHOWN, len(self))
        own = [self._own.values(number, 0, shown) for number in range(len(self.columns))]
        rows = "".join(f"<tr>{''.join(map(text, row))}</tr>" for row in zip(*own))
        more = f", the first {shown} shown" if shown < len(self) else ""
        caption = f"{self.name}: {len(self)} rows{more}. A row: {self.meaning}"
        return (
            f"<table><caption>{escape(caption)}</caption>"
            f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
        )
