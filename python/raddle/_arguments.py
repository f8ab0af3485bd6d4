"""Arguments of calls: one that no call has, or that cannot be, is named with its call and the nearest
valid word."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import wraps
from operator import index
from typing import Any, ParamSpec, TypeVar

MOST_THREADS = 2**32 - 1
MOST = 2**63 - 1
"""The largest seed that a scenario can name."""

Arguments = ParamSpec("Arguments")
Given = TypeVar("Given")


class Wrong(Exception):
    """An argument that cannot be; `checked` raises it as what it is, with the name of the call."""

    def __init__(self, kind: type[ValueError] | type[TypeError], message: str) -> None:
        super().__init__(message)
        self.kind = kind


def near(word: str, known: Iterable[str]) -> str:
    """`; nearest: 'reps'`, if a valid word is near."""
    found = get_close_matches(word, list(known), n=1)
    return f"; nearest: {found[0]!r}" if found else ""


def one_of(name: str, word: Any, known: Iterable[str]) -> None:
    """An argument that is one of some words."""
    if word not in (words := list(known)):
        listed = ", ".join(map(repr, words))
        raise Wrong(ValueError, f"{name} = {word!r}: expected {listed}{near(str(word), words)}")


def checked(call: Callable[Arguments, Given]) -> Callable[Arguments, Given]:
    """The call, whose errors about its arguments name it."""
    public = [part for part in call.__module__.split(".") if not part.startswith("_")]
    name = ".".join([*public, call.__qualname__])
    parameters = inspect.signature(call).parameters
    takes_any = any(own.kind is own.VAR_KEYWORD for own in parameters.values())

    @wraps(call)
    def named(*values: Arguments.args, **words: Arguments.kwargs) -> Given:
        for word in () if takes_any else words:
            if word not in parameters:
                known = [own for own in parameters if own != "self"]
                raise TypeError(f"{name}() has no argument {word!r}{near(word, known)}")
        try:
            return call(*values, **words)
        except Wrong as wrong:
            raise wrong.kind(f"{name}(): {wrong}") from None

    return named


def whole(name: str, value: Any, low: int, high: int = MOST) -> int:
    """The number, if it is one from `low` to `high`."""
    try:
        number = index(value)
    except TypeError:
        kind = type(value).__name__
        message = f"{name} = {value!r}: expected a whole number, not {kind}"
        raise Wrong(TypeError, message) from None
    if number < low:
        raise Wrong(ValueError, f"{name} = {number}: at least {low}")
    if number > high:
        raise Wrong(ValueError, f"{name} = {number}: at most {high}")
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


def within(value: Any) -> float | None:
    """How closely a number is bounded, a share; `None` is exactly."""
    if value is None:
        return None
    try:
        share = float(value)
    except (TypeError, ValueError):
        kind = type(value).__name__
        raise Wrong(TypeError, f"within = {value!r}: expected a share, not {kind}") from None
    if not 0 < share <= 1:
        raise Wrong(ValueError, f"within = {value!r}: expected a share above 0 and up to 1")
    return share
