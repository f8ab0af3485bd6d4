"""The extension module; `raddle` gives its calls their shape."""

from collections.abc import Callable
from typing import Any, final

_Text = tuple[str, str, str, list[tuple[str, str]]]
_Answer = tuple[str, str, list[str]]
_Asked = tuple[int, str | None, bool, float | None, int]
_Shown = bool | Callable[[float, str], None]
_Metric = tuple[str | None, str | None]
_Classes = list[tuple[str | None, object]]
_Marked = tuple[_Classes, _Classes, str, bool]
_Settings = list[tuple[str, str]]
_Compared = tuple[
    str,
    list[str],
    str | None,
    str,
    str,
    list[tuple[_Settings, int, tuple[str, str] | None]],
    list[str],
]
_Table = tuple[
    str,
    str,
    list[tuple[str, str, str, str]],
    list[tuple[int, list[tuple[list[bytes], bytes | None]]]],
]

__all__ = [
    "BUILD",
    "Compared",
    "Grid",
    "Question",
    "Run",
    "Table",
    "bounds",
    "check_summary",
    "compare",
    "designs",
    "explain",
    "export",
    "figures",
    "inventory",
    "main",
    "page_of",
    "read_text",
    "reproduce",
    "run",
    "schemes",
    "sweep",
    "theory",
    "throughput",
    "throughput_grid",
    "train",
]

BUILD: str

@final
class Table:
    """A table by Arrow's C stream interface: `pyarrow.table(t)`."""

    def __new__(cls, state: _Table) -> Table: ...
    def __getnewargs__(self) -> tuple[_Table]: ...
    @property
    def name(self) -> str: ...
    @property
    def meaning(self) -> str: ...
    @property
    def num_rows(self) -> int: ...
    @property
    def columns(self) -> list[tuple[str, str, str]]: ...
    def values(self, column: int, first: int, end: int) -> list[Any]: ...
    def numbers(self, column: int) -> tuple[str, bytes] | None: ...
    def keep(self, folder: str, scenario: str, seed: int) -> None: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Run:
    @property
    def resolved(self) -> str: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def title(self) -> str: ...
    @property
    def machine(self) -> str: ...
    def summary_json(self) -> str: ...
    def text(self) -> str: ...
    def picture(self) -> str: ...
    def keep(self, folder: str) -> None: ...
    def tables(self) -> list[str]: ...
    def table(self, name: str) -> Table: ...

@final
class Compared:
    def __new__(cls, state: _Compared) -> Compared: ...
    def __getnewargs__(self) -> tuple[_Compared]: ...
    @property
    def failed(self) -> list[str]: ...
    def json(self) -> str: ...
    def text(self) -> str: ...
    def report(self, call: str) -> str: ...

@final
class Question:
    def __new__(cls, text: _Text) -> Question: ...
    @property
    def published(self) -> list[str]: ...
    @property
    def budget_s(self) -> float | None: ...
    def count(self) -> tuple[str, str]: ...
    def ask(
        self, out: str, redo: bool, parallel: int | None, threads: int, progress: _Shown
    ) -> tuple[str, str]: ...
    def next(
        self, summaries: list[str], enough: bool
    ) -> list[tuple[str, str, str, list[tuple[str, str]], int]] | None: ...
    def answered(self, summaries: list[str], enough: bool) -> tuple[str, str, str]: ...
    def again(self, kept: str) -> tuple[str, str]: ...

@final
class Grid:
    def __new__(cls, text: _Text, asked: _Metric, classes: _Marked) -> Grid: ...
    def runs(self) -> list[tuple[str, str, str, list[tuple[str, str]], int]]: ...
    def answer(
        self, summaries: list[str | None], folder: str, csv: bool, failed: list[str]
    ) -> _Answer: ...

def run(
    text: _Text,
    seed: int | None,
    threads: int,
    progress: _Shown,
    load_balance: _Classes,
    congestion: _Classes,
) -> Run: ...
def compare(
    text: _Text,
    asked: _Metric,
    parallel: int | None,
    threads: int,
    progress: _Shown,
    load_balance: _Classes,
    congestion: _Classes,
) -> Compared: ...
def sweep(
    text: _Text,
    asked: _Metric,
    out: str,
    redo: bool,
    csv: bool,
    parallel: int | None,
    threads: int,
    progress: _Shown,
    classes: _Marked,
) -> _Answer: ...
def check_summary(text: str) -> None: ...
def read_text(path: str) -> str: ...
def main(words: list[str]) -> int: ...
def page_of(
    call: str, title: str, scenario_toml: str, machine: str, summary: str, picture: str
) -> str: ...
def bounds(text: _Text) -> tuple[str, str]: ...
def inventory(text: _Text) -> tuple[str, str]: ...
def throughput(demand: str, design: str, asked: _Asked) -> _Answer: ...
def throughput_grid(
    demands: list[str],
    designs: list[str],
    asked: _Asked,
    out: str | None,
    parallel: int | None,
    progress: _Shown,
) -> _Answer: ...
def designs() -> str: ...
def reproduce(
    name: str | None,
    quick: bool,
    set: list[tuple[str, str]],
    out: str | None,
    redo: bool,
    record: str | None,
    parallel: int | None,
    progress: _Shown,
) -> _Answer: ...
def figures(name: str | None, pages: str | None) -> _Answer: ...
def schemes() -> str: ...
def explain(file: str) -> str: ...
def export(
    results: str,
    pcapng: str | None,
    perfetto: str | None,
    csv: str | None,
    parquet: str | None,
    flows: list[int],
    hops: int | None,
) -> list[str]: ...
def train(
    text: _Text,
    asked: tuple[int, int, float, bool, int],
    origin: str,
    parallel: int | None,
    progress: _Shown,
) -> tuple[str, str]: ...
def theory(model: str | None, parameters: list[tuple[str, str]], seed: int) -> str: ...
