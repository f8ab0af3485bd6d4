"""Where progress shows: a line that renews itself, on a terminal by itself, in a notebook by the
notebook's own means."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Union

Draw = Callable[[float, str], None]
"""Draws a line anew: the share that is done, and what stands beside it."""

Shown = Union[bool, Draw]
"""Where somebody looks or nowhere, or where a function draws it."""


@contextmanager
def shown(progress: Shown | None) -> Iterator[Shown]:
    """Where progress shows as long as this lasts: as asked for, else where somebody looks at it."""
    if callable(progress):
        yield progress
        return
    notebook = None if progress is False else _marimo() or _jupyter()
    if notebook is None:
        terminal = sys.stderr is not None and sys.stderr.isatty()
        yield terminal if progress is None else progress
        return
    draw, clear = notebook
    try:
        yield draw
    finally:
        clear()


def draw_runs(progress: Shown, ended: int, runs: int) -> None:
    """Draws how many runs of a sweep have ended."""
    text = f"{ended} of {runs} runs"
    if callable(progress):
        progress(ended / runs, text)
    elif progress:
        print(f"\r{text}", end="" if ended < runs else "\n", file=sys.stderr, flush=True)


def _jupyter() -> tuple[Draw, Callable[[], None]] | None:
    """In a kernel of Jupyter: what draws the line, and what removes it."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if getattr(shell, "kernel", None) is None:
        return None
    display = sys.modules["IPython.display"].display
    handle: Any = None

    def draw(share: float, text: str) -> None:
        nonlocal handle
        line = {"text/plain": _line(share, text)}
        if handle is None:
            handle = display(line, raw=True, display_id=True)
        else:
            handle.update(line, raw=True)

    def clear() -> None:
        if handle is not None:
            handle.update({"text/plain": ""}, raw=True)

    return draw, clear


def _marimo() -> tuple[Draw, Callable[[], None]] | None:
    """The same in a notebook of marimo."""
    marimo: Any = sys.modules.get("marimo")
    if marimo is None or not marimo.running_in_notebook():
        return None
    stack = ExitStack()
    bar: Any = None
    done = 0

    def draw(share: float, text: str) -> None:
        nonlocal bar, done
        if bar is None:
            # What comes beside it is text already.
            words: dict[str, Any] = {"show_rate": False, "show_eta": False, "remove_on_exit": True}
            bar = stack.enter_context(marimo.status.progress_bar(total=100, **words))
        percent = int(share * 100)
        bar.update(increment=percent - done, subtitle=text)
        done = percent

    return draw, stack.close


def _line(share: float, text: str) -> str:
    """The line as a terminal shows it."""
    full = int(share * 24)
    return f"{'█' * full}{'░' * (24 - full)} {int(share * 100):>3} %  {text}"
