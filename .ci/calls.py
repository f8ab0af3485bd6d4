"""Writes the tables of calls in docs/python.md from the package: signatures, what they give, and the
first sentence of each docstring.

    .ci/calls.py [--check]
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import raddle

DOCUMENT = Path(__file__).parents[1] / "docs" / "python.md"
# A table is known by its head.
TABLES = {
    "| call | gives | meaning |": (raddle, raddle.__all__),
    "| `raddle.plot` | gives | shows |": (raddle.plot, [*vars(raddle.plot)]),
}
# As a reader needs them; the others follow by their names.
FIRST = ["run", "compare", "sweep"]


def functions(module: ModuleType, names: list[str]) -> list[Callable[..., Any]]:
    """Those of a module, which are its own."""
    found = [(name, getattr(module, name)) for name in names if not name.startswith("_")]
    own = [value for _, value in found
           if inspect.isfunction(value) and value.__module__.startswith(module.__name__)]
    rank = {name: place for place, name in enumerate(FIRST)}
    return sorted(own, key=lambda call: (rank.get(call.__name__, len(FIRST)), call.__name__))


def signature(call: Callable[..., Any]) -> str:
    """The arguments with their defaults, without types."""
    words, named = [], False
    for parameter in inspect.signature(call).parameters.values():
        word = parameter.name
        if parameter.kind is parameter.KEYWORD_ONLY and not named:
            words.append("*")
            named = True
        if parameter.kind is parameter.VAR_KEYWORD:
            word = f"**{word}"
        elif parameter.default is not parameter.empty:
            word = f"{word}={parameter.default!r}"
        words.append(word)
    return f"{call.__name__}({', '.join(words)})"


def sentence(call: Callable[..., Any]) -> str:
    """The first sentence of the docstring."""
    paragraph = " ".join((inspect.getdoc(call) or "").split("\n\n")[0].split())
    return re.split(r"(?<=[^.])\.(?: |$)", paragraph, maxsplit=1)[0]


def table(head: str) -> str:
    """A table of the document."""
    module, names = TABLES[head]
    lines = [head, "|---|---|---|"]
    for call in functions(module, names):
        gives = str(inspect.signature(call).return_annotation).partition("[")[0]
        lines.append(f"| `{signature(call)}` | `{gives}` | {sentence(call)} |")
    return "\n".join(lines)


def generated(document: str) -> str:
    """The document with its tables as the package has them."""
    for head in TABLES:
        pattern = re.escape(head) + r"\n(\|.*\n)+"
        if not re.search(pattern, document):
            sys.exit(f"{DOCUMENT}: no table with the head {head}")
        document = re.sub(pattern, lambda _, head=head: table(head) + "\n", document)
    return document


if __name__ == "__main__":
    text = DOCUMENT.read_text(encoding="utf-8")
    if "--check" not in sys.argv:
        DOCUMENT.write_text(generated(text), encoding="utf-8")
    elif generated(text) != text:
        sys.exit("docs/python.md is not what the package says: `make docs` writes it")
