"""The schema of scenario files takes every scenario that is here, and refuses what is wrong."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs" / "scenario.schema.json").read_text(encoding="utf-8"))
SCENARIOS = sorted([*ROOT.glob("scenarios/*.toml"), *ROOT.glob("figures/*/*/scenario.toml")])


def mistakes(text: str) -> list[str]:
    validator = jsonschema.Draft202012Validator(SCHEMA)
    return [error.message for error in validator.iter_errors(tomllib.loads(text))]


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert len(SCENARIOS) >= 50


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_scenario_is_valid(path: Path) -> None:
    assert mistakes(path.read_text(encoding="utf-8")) == []


def test_defaults_are_valid() -> None:
    count = 0
    for table in SCHEMA["$defs"].values():
        for schema in table.get("properties", {}).values():
            if "default" in schema:
                own = {"$defs": SCHEMA["$defs"], **schema}
                jsonschema.Draft202012Validator(own).validate(schema["default"])
                count += 1
    assert count > 300


FABRIC = '[fabric]\ntopology = { kind = "fat_tree", hosts = 16 }\n'
TRAFFIC = '[traffic]\nkind = "permutation"\n'


@pytest.mark.parametrize(
    "text",
    [
        FABRIC,
        TRAFFIC,
        f"{FABRIC}queu = {{}}\n{TRAFFIC}",
        f'{FABRIC}queue = {{ overflow = "trimm" }}\n{TRAFFIC}',
        f'{FABRIC}queue = {{ size = "100 pakets" }}\n{TRAFFIC}',
        f"{FABRIC}queue = {{ classes = 9 }}\n{TRAFFIC}",
        f'{FABRIC}gap = 20\n{TRAFFIC}',
        f'{FABRIC}{TRAFFIC}message = "8 MB/s"\n',
        f"{FABRIC}{TRAFFIC}senders = 3\n",
        f'{FABRIC}{TRAFFIC}[transport]\nload_balance = {{ scheme = "reps", bufer = 4 }}\n',
        f'{FABRIC}{TRAFFIC}[transport]\nload_balance = {{ scheme = "jsq" }}\n',
        f'{FABRIC}{TRAFFIC}[[fault]]\nlink = "tor0.up1"\nloss = 2\n',
    ],
)
def test_what_is_wrong_is_refused(text: str) -> None:
    found: list[Any] = mistakes(text)
    assert found
