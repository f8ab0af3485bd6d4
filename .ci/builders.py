"""Writes raddle/build.py, the typed builders of scenarios, from what the documents are made of: the
catalogue of schemes, and the tables of keys in docs/scenario.md, which a test holds to the reader.

    .ci/builders.py [--check]
"""

from __future__ import annotations

import keyword
import re
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import raddle

HERE = Path(__file__).parents[1] / "python"
TARGET = HERE / "raddle" / "build.py"
DOCUMENT = HERE.parent / "docs" / "scenario.md"

HEAD = '''"""Builders of scenarios: each gives the table of TOML that its name says, and knows its keys.

    from raddle import Scenario, build
    Scenario(
        fabric=build.fabric(topology=build.topology.fat_tree(hosts=128)),
        transport=build.transport(load_balance=build.host.reps(buffer=4)),
        traffic=build.traffic.permutation(message="1 MiB"),
    )

Times, rates and sizes are texts with a unit (`"500 ns"`, `"400 Gbps"`, `"8 MiB"`), as in a file.
What is not given takes the default that docs/scenario.md names. Written by .ci/builders.py.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

Section = dict[str, Any]
"""A table of a scenario."""


def _given(**keys: Any) -> Section:
    # A trailing `_` keeps a key apart from a word of Python.
    return {key.rstrip("_"): value for key, value in keys.items() if value is not None}
'''

# Types of the documents' tables and of the catalogue.
TYPES = {
    "time": "str",
    "rate": "str",
    "bytes": "str",
    "size": "str",
    "share": "str",
    "whole number": "int",
    "power of two": "int",
    "number": "float",
    "flag": "bool",
    "true or false": "bool",
    "word": "str",
    "text": "str",
    "path": "str | os.PathLike[str]",
    "forest": "Any",
    "window": "str",
    "scheme": "Section",
    "table": "Mapping[str, Any]",
    "list of tables": "Sequence[Mapping[str, Any]]",
}
# The tables of keys: heading in the document, then the function and what it is.
SECTIONS = {
    "## [fabric]": ("fabric", "hosts, switches, cables, queues, routing"),
    "### queue": ("queue", "the queue of every switch port"),
    "### queue.pfc": ("pfc", "priority-based flow control"),
    "### routing": ("routing", "how long routing stays stale"),
    "## [transport]": ("transport", "the hosts"),
    "### background": ("background", "a share of the hosts that uses another path selector"),
    "### straggler": ("straggler", "ranks that compute more slowly"),
    "### flow": ("flow", "one flow of a list"),
    "## [[fault]]": ("fault", "what breaks, how, and when"),
    "### random": ("random", "cables or switches drawn with the seed"),
    "### flap": ("flap", "down again and again"),
    "## [record]": ("record", "what is kept over time"),
    "## [run]": ("run", "seed, and when a run ends"),
    "## [[condition]]": ("condition", "a named variant"),
}
FAMILIES = {
    "transport.load_balance": "host",
    "transport.plane": "plane",
    "fabric.load_balance": "switch",
    "transport.congestion": "congestion",
    "transport.recovery": "recovery",
    "fabric.queue.marking": "marking",
    "fabric.buffer": "buffer",
    "fabric.tor": "tor",
    "transport.planner": "planner",
}
# Keys that stand beside a scheme's own parameters.
BESIDE = {"fabric.buffer": "### buffer", "fabric.queue.marking": "### queue.marking"}


@dataclass
class Key:
    """A key of a table."""

    name: str
    type: str
    default: str
    meaning: str

    @property
    def required(self) -> bool:
        # What is required with one word of another key alone says so.
        return self.default == "required" and not self.meaning.startswith("with ")

    def argument(self) -> str:
        name = self.name + "_" * keyword.iskeyword(self.name)
        return f"{name}: {self.type}" if self.required else f"{name}: {self.type} | None = None"


def of_type(text: str) -> str:
    """The type of Python for one of the documents."""
    if text in TYPES:
        return TYPES[text]
    kinds: list[str] = []
    for part in re.split(r", or | or |, ", text):
        part = part.removeprefix("a ").strip()
        if part.startswith('`"'):
            kinds.append("str")
        elif part == "list":
            kinds.append(f"Sequence[{kinds[-1] if kinds else 'Any'}]")
        elif part.startswith("list of ") and part not in TYPES:
            kind = part.removeprefix("list of ").rstrip("s")
            kinds.append(f"Sequence[{TYPES[kind]}]")
        else:
            kinds.append(TYPES[part])
    return " | ".join(dict.fromkeys(kinds))


def tables(document: str) -> dict[str, list[Key]]:
    """The keys below each heading."""
    found: dict[str, list[Key]] = {}
    part, heading, reads = "", "", False
    for line in document.splitlines():
        if line.startswith("## "):
            part = line
        if line.startswith("#"):
            heading = f"{part} {line}" if line.startswith("### kind") else line
        if not line.startswith("|"):
            reads = False
        elif line == "| key | type | default | meaning |":
            reads = True
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if reads and (name := re.fullmatch(r"`(\w+)`", cells[0])):
            found.setdefault(heading, []).append(
                Key(name[1], of_type(cells[1]), cells[2].replace("\\|", "|"), cells[3])
            )
    return found


def function(name: str, summary: str, keys: list[Key], fixed: str = "", indent: str = "") -> str:
    """A builder."""
    # Required ones first, as a reader needs them.
    keys = sorted(keys, key=lambda key: not key.required)
    lines = ["@staticmethod"] if indent else []
    name += "_" * keyword.iskeyword(name)
    if keys:
        lines += [f"def {name}(", "    *,"]
        lines += [f"    {key.argument()}," for key in keys]
        lines += [") -> Section:"]
    else:
        lines += [f"def {name}() -> Section:"]
    doc = textwrap.wrap(summary[:1].upper() + summary[1:].rstrip(".") + ".", 88)
    if keys:
        doc.append("")
    for key in keys:
        default = "" if key.required or key.default in ("none", "-") else f" ({key.default})"
        doc += textwrap.wrap(f"`{key.name}`{default}: {key.meaning}".rstrip(".") + ".", 88,
                             subsequent_indent="    ")
    body = "\n".join(f"    {line}".rstrip() for line in doc).strip().replace("\\", "\\\\")
    lines += [f'    """{body}' + ('\n    """' if keys else '"""')]
    words = [fixed] if fixed else []
    for key in keys:
        own = key.name + "_" * keyword.iskeyword(key.name)
        words.append(f"{own}={own}")
    call = f"    return _given({', '.join(words)})"
    if len(indent + call) > 99:
        call = "    return _given(\n" + "".join(f"        {word},\n" for word in words) + "    )"
    lines.append(call)
    return textwrap.indent("\n".join(lines), indent)


def generated() -> str:
    """The text of the module."""
    keys = tables(DOCUMENT.read_text(encoding="utf-8"))
    parts = [HEAD.rstrip()]
    for heading, (name, summary) in SECTIONS.items():
        parts.append(function(name, summary, keys[heading]))
    kinds = {
        "topology": ("## [fabric] topology", "Fabrics.", []),
        "traffic": ("## [traffic]", "Who sends what to whom, and when.", keys["### Every traffic"]),
    }
    for name, (section, summary, more) in kinds.items():
        lines = [f'class {name}:\n    """{summary}"""']
        for heading, own in keys.items():
            match = re.fullmatch(re.escape(section) + r' ### kind = "(\w+)"', heading)
            if match:
                own = [key for key in own if key.name != "kind"]
                names = {key.name for key in own}
                own += [key for key in more if key.name not in names]
                kind = match[1]
                lines.append(function(kind, f"`kind = \"{kind}\"`", own, f'kind="{kind}"', "    "))
        parts.append("\n\n".join(lines))
    for path, name in FAMILIES.items():
        own_schemes = [scheme for scheme in raddle.schemes() if scheme["key"] == path]
        lines = [f'class {name}:\n    """{own_schemes[0]["family"]}: `{path}`."""']
        for scheme in own_schemes:
            beside = [key for key in keys.get(BESIDE.get(path, ""), []) if key.name != "scheme"]
            own = beside + [parameter(path, entry) for entry in scheme["parameters"]]
            summary = f"{scheme['title'].rstrip('.')}. {scheme['summary']}"
            word = scheme["name"]
            lines.append(function(word, summary, own, f'scheme="{word}"', "    "))
        parts.append("\n\n".join(lines))
    return "\n\n\n".join(parts) + "\n"


def parameter(path: str, entry: dict[str, object]) -> Key:
    """A parameter of the catalogue."""
    kind, default = of_type(str(entry["kind"])), entry["default"]
    if isinstance(default, str) and kind in ("int", "float", "bool"):
        kind += " | str"
    if path == "fabric.buffer":
        kind = " | ".join([kind, *(f"Sequence[{one}]" for one in kind.split(" | "))])
    shown = f'`"{default}"`' if isinstance(default, str) else f"`{str(default).lower()}`"
    return Key(str(entry["name"]), kind, shown, str(entry["doc"]))


if __name__ == "__main__":
    text = generated()
    if "--check" in sys.argv:
        if TARGET.read_text(encoding="utf-8") != text:
            sys.exit("python/raddle/build.py is not what the documents say: `make docs` writes it")
    else:
        TARGET.write_text(text, encoding="utf-8")
