"""Scenarios as Python names them: a path, a TOML text or a dict."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Union

from . import _raddle
from ._errors import Problem, ScenarioError
from .build import SIZES

AnyScenario = Union[str, "os.PathLike[str]", Mapping[str, Any]]
"""A path, a TOML text or a dict."""

Seeds = Union[str, "list[int]", range]
"""Seeds, as `"1..5"` (both included) or one by one."""

Text = tuple[str, str, str, list[tuple[str, str]]]


class Scenario(dict[str, Any]):
    """A scenario from its sections, each a dict or what a builder of `raddle.build` gives. What is
    wrong with it is an error at once: an unknown key of a builder a `TypeError`, anything else a
    `ScenarioError` with every mistake. A dict of the same keys does the same in every call."""

    def __init__(
        self,
        *,
        fabric: Mapping[str, Any],
        traffic: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        transport: Mapping[str, Any] | None = None,
        fault: Sequence[Mapping[str, Any]] | None = None,
        record: Mapping[str, Any] | None = None,
        run: Mapping[str, Any] | None = None,
        sweep: Mapping[str, Any] | None = None,
        condition: Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        sections = {
            "fabric": fabric,
            "transport": transport,
            "traffic": traffic,
            "fault": fault,
            "record": record,
            "run": run,
            "sweep": sweep,
            "condition": condition,
        }
        super().__init__({name: own for name, own in sections.items() if own is not None})
        _raddle.Grid(text(self, None), (None, None), ([], [], "", False))

    def toml(self) -> str:
        """The scenario as a file has it."""
        return _document(self)


def changes_of(set: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """Changes of keys as the command takes them."""
    return [(path, _value(value, path)) for path, value in (set or {}).items()]


def text(scenario: AnyScenario, set: Mapping[str, Any] | None) -> Text:
    """The scenario's text, its name, where relative paths start, and changes as the command takes
    them."""
    changes = changes_of(set)
    if isinstance(scenario, Mapping):
        return _document(scenario), "<dict>", ".", changes
    # A text has at least one line `key = value`; no path has that.
    if isinstance(scenario, str) and ("\n" in scenario or re.search(r"=|^\s*\[", scenario)):
        return scenario, "<text>", ".", changes
    path = Path(scenario)
    try:
        return _raddle.read_text(str(path)), str(path), str(path.parent), changes
    except OSError as error:
        message = f"cannot read {path}: {error}"
        raise ScenarioError(message, [Problem(message, file=str(path))]) from error


def _document(scenario: Mapping[str, Any]) -> str:
    """A dict as TOML, a line for each key of a section, so that problems name a line."""
    # Keys outside any section come first: behind a header they would belong to it.
    plain = {k: v for k, v in scenario.items() if not isinstance(v, Mapping)}
    lines = [f"{_key(k)} = {_value(v, k)}" for k, v in plain.items()]
    for name, section in scenario.items():
        if isinstance(section, Mapping):
            lines.append(f"[{_key(name)}]")
            lines += [f"{_key(k)} = {_value(v, f'{name}.{k}')}" for k, v in section.items()]
    return "\n".join(lines) + "\n"


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise TypeError(f"keys of a scenario are texts, not {key!r}")
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _quoted(key)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any, path: str) -> str:
    """A value as TOML, where the path of its key stands. A whole number where a size is meant is
    bytes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Integral):
        number = int(value)
        return f'"{number} B"' if _is_size(path) else str(number)
    if isinstance(value, Real):
        return repr(float(value))
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, os.PathLike):
        return _quoted(os.fspath(value))
    if isinstance(value, Mapping):
        inner = (f"{_key(k)} = {_value(v, f'{path}.{k}')}" for k, v in value.items())
        return "{ " + ", ".join(inner) + " }"
    if isinstance(value, (list, tuple, range)):
        return "[" + ", ".join(_value(one, path) for one in value) + "]"
    raise TypeError(f"{path}: a scenario has no values such as {value!r} ({type(value).__name__})")


def _is_size(path: str) -> bool:
    """Whether a key holds sizes, by its name, or by that and the table's where others have the name."""
    words = path.split(".")
    return words[-1] in SIZES or ".".join(words[-2:]) in SIZES
