"""Whole numbers among arguments: what is out of range is named."""

from __future__ import annotations

from operator import index
from typing import Any

MOST_THREADS = 2**32 - 1
MOST = 2**63 - 1
"""The largest seed that a scenario can name."""


def whole(name: str, value: Any, low: int, high: int = MOST) -> int:
    """The number, if it is one from `low` to `high`."""
    try:
        number = index(value)
    except TypeError:
        kind = type(value).__name__
        raise TypeError(f"{name} = {value!r}: expected a whole number, not {kind}") from None
    if number < low:
        raise ValueError(f"{name} = {number}: at least {low}")
    if number > high:
        raise ValueError(f"{name} = {number}: at most {high}")
    return number


def threads(value: Any) -> int:
    """Threads inside a run."""
    return whole("threads", value, 1, MOST_THREADS)


def parallel(value: Any) -> int | None:
    """Runs at a time; `None` is as many as there are cores for."""
    return None if value is None else whole("parallel", value, 1)


def seed(value: Any) -> int | None:
    """A seed; `None` is the scenario's."""
    return None if value is None else whole("seed", value, 0)
