"""Scenarios as Python names them: a path, a TOML text or a dict."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Union

from ._errors import Problem, ScenarioError

Scenario = Union[str, "os.PathLike[str]", Mapping[str, Any]]

Text = tuple[str, str, str, list[tuple[str, str]]]


def text(scenario: Scenario, set: Mapping[str, Any] | None) -> Text:
    """The scenario's text, its name, where relative paths start, and changes as the command takes
    them."""
    changes = [(path, _value(value)) for path, value in (set or {}).items()]
    if isinstance(scenario, Mapping):
        return _document(scenario), "<dict>", ".", changes
    # A text has at least one line `key = value`; no path has that.
    if isinstance(scenario, str) and ("\n" in scenario or re.search(r"=|^\s*\[", scenario)):
        return scenario, "<text>", ".", changes
    path = Path(scenario)
    try:
        return path.read_text(encoding="utf-8"), str(path), str(path.parent), changes
    except (OSError, UnicodeDecodeError) as error:
        message = f"cannot read {path}: {error}"
        raise ScenarioError(message, [Problem(message, file=str(path))]) from error


def _document(scenario: Mapping[str, Any]) -> str:
    """A dict as TOML, a line for each key of a section, so that problems name a line."""
    # Keys outside any section come first: behind a header they would belong to it.
    plain = {k: v for k, v in scenario.items() if not isinstance(v, Mapping)}
    lines = [f"{_key(k)} = {_value(v)}" for k, v in plain.items()]
    for name, section in scenario.items():
        if isinstance(section, Mapping):
            lines.append(f"[{_key(name)}]")
            lines += [f"{_key(k)} = {_value(v)}" for k, v in section.items()]
    return "\n".join(lines) + "\n"


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise TypeError(f"keys of a scenario are texts, not {key!r}")
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _quoted(key)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, os.PathLike):
        return _quoted(os.fspath(value))
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + " }"
    if isinstance(value, (list, tuple, range)):
        return "[" + ", ".join(map(_value, value)) + "]"
    raise TypeError(f"a scenario has no values such as {value!r} ({type(value).__name__})")
