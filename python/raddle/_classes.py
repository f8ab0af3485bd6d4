"""Classes of Python that stand in for schemes: how calls take them, what tells their runs from others,
and whether other processes can have them."""

from __future__ import annotations

import functools
import hashlib
import inspect
import pickle
import sys
from collections.abc import Mapping
from concurrent import futures
from pathlib import Path
from typing import Any, Union

from ._arguments import Wrong
from .scheme import Class

Listed = list[tuple[Union[str, None], object]]
"""Classes, and the schemes that they stand in for; `None` for all that flows have."""


def listed(key: str, given: Class[Any] | None) -> Listed:
    """Classes as an argument names them: one, or several by the words of schemes."""
    found: Listed
    if isinstance(given, Mapping):
        found = list(given.items())
    else:
        found = [] if given is None else [(None, given)]
    for _, made in found:
        if not callable(made):
            raise Wrong(
                TypeError,
                f"{key} = {made!r}: expected a class; a scheme of the catalogue is chosen by "
                f'set={{"transport.{key}.scheme": ..}}',
            )
    return found


def alone(threads: int, *classes: Listed) -> None:
    """Classes have one thread."""
    if threads > 1 and any(classes):
        raise Wrong(ValueError, f"threads = {threads}: a scheme in Python runs with one")


def mark(load_balance: Listed, congestion: Listed) -> str:
    """What tells kept runs with these classes from those without, or with others: a hash of the text
    of the files that the classes stand in."""
    if not load_balance and not congestion:
        return ""
    text = hashlib.sha256()
    for key, classes in (("load_balance", load_balance), ("congestion", congestion)):
        for scheme, made in classes:
            text.update(repr((key, scheme, _source(key, made))).encode())
    return f"python{text.hexdigest()[:8]}"


def _source(key: str, made: Any) -> list[str]:
    """The text that a class, or whatever makes schemes, is written in."""
    if isinstance(made, functools.partial):
        bound = repr((made.args, sorted(made.keywords.items())))
        return [*_source(key, made.func), bound]
    of = [own for own in made.__mro__ if own.__module__ not in ("builtins", "typing")] \
        if isinstance(made, type) else [made]
    try:
        return [_text(own) for own in of]
    except (OSError, TypeError):
        raise Wrong(
            ValueError,
            f"{key}: the text of {_name(made)} cannot be read, so its runs could not be told from "
            "others in the folder: define it in a file",
        ) from None


def _text(own: Any) -> str:
    """The file that something is defined in, with its name; else its own text."""
    file = inspect.getsourcefile(own)
    if file is not None and Path(file).is_file():
        return f"{own.__qualname__} in {Path(file).read_text(encoding='utf-8')}"
    if not isinstance(own, type):
        return inspect.getsource(own)
    # In a notebook functions have a text, and classes none.
    methods = [value for value in vars(own).values() if inspect.isfunction(value)]
    return "".join(inspect.getsource(method) for method in methods) or inspect.getsource(own)


def _name(made: Any) -> str:
    return getattr(made, "__qualname__", repr(made))


def reach_processes(executor: Any, **classes: Listed) -> None:
    """Whether an executor whose workers are processes can give them the classes. Ray and submitit send
    them whole; processes of this machine import them."""
    is_pool = isinstance(executor, futures.Executor)
    if isinstance(executor, futures.ThreadPoolExecutor) or not (
        executor in (None, "local") or is_pool
    ):
        return
    for key, own in classes.items():
        for _, made in own:
            why = _unsendable(made)
            if why:
                raise Wrong(
                    ValueError,
                    f"{key}: the workers are processes, which import {_name(made)} by its name, and "
                    f"that fails: {why}; define it at the top of a module of its own",
                )


def _unsendable(made: Any) -> str | None:
    try:
        pickle.dumps(made)
    except Exception as error:
        return str(error)
    inner = made.func if isinstance(made, functools.partial) else made
    main = sys.modules["__main__"]
    if inner.__module__ == "__main__" and not getattr(main, "__file__", None):
        return "it is defined at a prompt or in a notebook"
    return None
