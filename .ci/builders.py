"""Writes raddle/build.py, the typed builders of scenarios, from docs/scenario.schema.json: what
`raddle schema` tells of sections, their keys and schemes.

    .ci/builders.py [--check]
"""

from __future__ import annotations

import json
import keyword
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parents[1] / "python"
TARGET = HERE / "raddle" / "build.py"
SCHEMA = HERE.parent / "docs" / "scenario.schema.json"

HEAD = '''"""Builders of scenarios: each gives the table of TOML that its name says, and knows its keys.

    from raddle import Scenario, build
    Scenario(
        fabric=build.fabric(topology=build.topology.fat_tree(hosts=128)),
        transport=build.transport(load_balance=build.host.reps(buffer=4)),
        traffic=build.traffic.permutation(message="1 MiB"),
    )

Times, rates and sizes are texts with a unit (`"500 ns"`, `"400 Gbps"`, `"8 MiB"`), as in a file; a
whole number where a size is meant is bytes (`message=1 << 20`). Where a key is a time or a rate, a
number without a unit is an error.
What is not given takes the default that docs/scenario.md names. Written by .ci/builders.py.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ._arguments import checked

Section = dict[str, Any]
"""A table of a scenario."""


def _given(**keys: Any) -> Section:
    # A trailing `_` keeps a key apart from a word of Python.
    return {key.rstrip("_"): value for key, value in keys.items() if value is not None}
'''

# Types of the schema's quantities.
QUANTITIES = {name: "str" for name in ("time", "rate", "share", "window")}
# Whole numbers are bytes.
QUANTITIES |= {"bytes": "str | int", "size": "str | int"}
QUANTITIES["path"] = "str | os.PathLike[str]"
SIMPLE = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "object": "Mapping[str, Any]",
}
# The classes of builders, by the definition whose alternatives they have.
CLASSES = {
    "topology": "topology",
    "traffic": "traffic",
    "transport.load_balance": "host",
    "transport.plane": "plane",
    "fabric.load_balance": "switch",
    "transport.congestion": "congestion",
    "transport.recovery": "recovery",
    "marking": "marking",
    "buffer": "buffer",
    "tor": "tor",
    "transport.planner": "planner",
}

Schema = dict[str, Any]
DEFINITIONS: dict[str, Schema] = json.loads(SCHEMA.read_text(encoding="utf-8"))["$defs"]


@dataclass
class Key:
    """A key of a table."""

    name: str
    type: str
    default: str
    meaning: str
    required: bool

    def argument(self, width: int) -> list[str]:
        """The lines of the argument, with a comma."""
        name = self.name + "_" * keyword.iskeyword(self.name)
        line = f"    {name}: {self.type}" + ("" if self.required else " | None = None") + ","
        if len(line) <= width or "Literal[" not in line:
            return [line]
        before, words = line.split("Literal[", 1)
        words, after = words.split("]", 1)
        listed = [f"        {word}," for word in words.split(", ")]
        return [f"{before}Literal[", *listed, f"    ]{after}"]


def of_type(schema: Schema) -> str:
    """The type of Python for a value."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        if name in QUANTITIES:
            return QUANTITIES[name]
        alternatives = DEFINITIONS[name].get("oneOf", [])
        schemes = any("scheme" in target(one)["properties"] for one in alternatives)
        return "Section" if schemes else SIMPLE["object"]
    if "enum" in schema or "const" in schema:
        words = ", ".join(json.dumps(word) for word in schema.get("enum", [schema.get("const")]))
        return f"Literal[{words}]"
    if "anyOf" in schema:
        kinds = list(dict.fromkeys(of_type(one) for one in schema["anyOf"]))
        if "Any" in kinds:
            return "Any"
        literal = [kind[len("Literal["):-1] for kind in kinds if kind.startswith("Literal[")]
        others = [kind for kind in kinds if not kind.startswith("Literal[")]
        if literal and not any(kind.startswith("str") for kind in others):
            others.append(f"Literal[{', '.join(literal)}]")
        return " | ".join(others)
    if schema.get("type") == "array":
        return f"Sequence[{of_type(schema['items'])}]"
    return SIMPLE[schema["type"]] if "type" in schema else "Any"


def target(reference: Schema) -> Schema:
    """What a reference is to."""
    return DEFINITIONS[reference["$ref"].removeprefix("#/$defs/")]


def toml(value: Any) -> str:
    """A value as a scenario holds it."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(toml(inner) for inner in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def keys_of(table: Schema) -> tuple[list[Key], str]:
    """The keys of a table, and what tells it apart from others."""
    keys, fixed = [], ""
    for name, schema in table["properties"].items():
        if name in ("kind", "scheme") and set(schema) == {"const"}:
            fixed = f"{name}={json.dumps(schema['const'])}"
            continue
        default = f"`{toml(schema['default'])}`" if "default" in schema else ""
        keys.append(
            Key(
                name,
                of_type(schema),
                schema.get("x-default", default),
                schema["description"],
                name in table["required"],
            )
        )
    return keys, fixed


def function(name: str, summary: str, keys: list[Key], fixed: str = "", indent: str = "") -> str:
    """A builder."""
    # Required ones first, as a reader needs them.
    keys = sorted(keys, key=lambda key: not key.required)
    lines = ["@staticmethod", "@checked"] if indent else ["@checked"]
    name += "_" * keyword.iskeyword(name)
    if keys:
        lines += [f"def {name}(", "    *,"]
        lines += [line for key in keys for line in key.argument(99 - len(indent))]
        lines += [") -> Section:"]
    else:
        lines += [f"def {name}() -> Section:"]
    doc = textwrap.wrap(summary[:1].upper() + summary[1:].rstrip(".") + ".", 88)
    if keys:
        doc.append("")
    for key in keys:
        default = "" if key.required or key.default in ("", "none", "-") else f" ({key.default})"
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


def kinds(schema: Schema) -> set[str]:
    """The kinds of values that a key takes, those in its lists among them."""
    inner = [*schema.get("anyOf", []), *([schema["items"]] if "items" in schema else [])]
    own = schema["$ref"].removeprefix("#/$defs/") if "$ref" in schema else schema.get("type", "")
    return {own}.union(*map(kinds, inner))


def sizes() -> str:
    """The keys in which a whole number is bytes: those that hold sizes, with the table in front where
    others of the name hold numbers."""
    of: dict[str, list[tuple[str, set[str]]]] = {}
    for path, table in DEFINITIONS.items():
        parts = path.split(".")
        parent = parts[-2] if len(parts) > 1 else parts[0]
        for name, schema in table.get("properties", {}).items():
            of.setdefault(name, []).append((parent, kinds(schema)))
    found = set()
    for name, places in of.items():
        plain = any({"integer", "number"} & own for _, own in places)
        for parent, own in places:
            if {"bytes", "size"} & own:
                found.add(f"{parent}.{name}" if plain else name)
    listed = textwrap.fill(", ".join(json.dumps(name) for name in sorted(found)), 95,
                           initial_indent="    ", subsequent_indent="    ")
    return f'SIZES = frozenset({{\n{listed},\n}})\n"""Keys in which a whole number is bytes."""'


def generated() -> str:
    """The text of the module."""
    parts = [HEAD.rstrip(), sizes()]
    for name, table in DEFINITIONS.items():
        if "properties" in table and "." not in name and name != "scenario":
            parts.append(function(name, table["description"], keys_of(table)[0]))
    for path, name in CLASSES.items():
        summary = DEFINITIONS[path]["description"]
        lines = [f'class {name}:\n    """{summary[:1].upper()}{summary[1:]}."""']
        for reference in DEFINITIONS[path]["oneOf"]:
            table = target(reference)
            keys, fixed = keys_of(table)
            word = reference["$ref"].rsplit(".", 1)[1]
            lines.append(function(word, table["description"], keys, fixed, "    "))
        parts.append("\n\n".join(lines))
    return "\n\n\n".join(parts) + "\n"


if __name__ == "__main__":
    text = generated()
    if "--check" in sys.argv:
        if TARGET.read_text(encoding="utf-8") != text:
            sys.exit("python/raddle/build.py is not what the schema says: `make docs` writes it")
    else:
        TARGET.write_text(text, encoding="utf-8")
