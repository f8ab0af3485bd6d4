"""`import raddle` against the command and the libraries that take its tables."""

import _thread
import json
import os
import pickle
import subprocess
import threading
import time
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

import raddle

ROOT = Path(__file__).parents[2]
ALL_REDUCE = ROOT / "scenarios" / "all_reduce.toml"
SMALL = {
    "fabric": {"topology": {"kind": "fat_tree", "hosts": 16}},
    "traffic": {"kind": "permutation", "message": "64 KiB"},
    "transport": {"load_balance": {"scheme": "ops"}},
}
SMALL_TEXT = """
[fabric]
topology = { kind = "fat_tree", hosts = 16 }
[traffic]
kind = "permutation"
message = "64 KiB"
[transport]
load_balance = { scheme = "ops" }
"""


def command(*arguments, folder):
    """What the command prints; `make python` says where it is built."""
    binary = os.environ["RADDLE"]
    run = subprocess.run([binary, *map(str, arguments)], cwd=folder, check=True, capture_output=True)
    return json.loads(run.stdout)


def test_a_run_is_the_commands_in_numbers_and_tables(tmp_path):
    printed = command("run", ALL_REDUCE, "--seed", 3, "--json", "--out", tmp_path / "o", folder=tmp_path)
    result = raddle.run(ALL_REDUCE, seed=3)
    assert result.summary.keys() == printed.keys()
    assert result.summary["results_hash"] == printed["results_hash"]
    assert result.summary["scenario"] == printed["scenario"]
    for name in result.tables:
        [file] = (tmp_path / "o").rglob(f"{name}.parquet")
        written = pyarrow.parquet.read_table(file)
        ours = pyarrow.table(result.table(name))
        assert ours.column_names == written.column_names
        assert ours.to_pydict() == written.to_pydict(), name
    assert {"flows", "ports"} <= set(result.tables)


def test_path_text_and_dict_are_one_scenario(tmp_path):
    file = tmp_path / "small.toml"
    file.write_text(SMALL_TEXT)
    runs = [raddle.run(s, seed=2).summary for s in (file, str(file), SMALL_TEXT, SMALL)]
    assert len({run["results_hash"] for run in runs}) == 1
    assert len({run["scenario"] for run in runs}) == 1
    other = raddle.run(SMALL, seed=2, set={"transport.load_balance.scheme": "ecmp"}).summary
    assert other["results_hash"] != runs[0]["results_hash"]


def test_a_resolved_scenario_runs_again():
    first = raddle.run(SMALL)
    assert raddle.run(first.resolved).summary["results_hash"] == first.summary["results_hash"]


def test_tables_reach_arrow_with_units():
    flows = pyarrow.table(raddle.run(SMALL).flows)
    assert flows.num_rows == 16
    assert all(b"meaning" in field.metadata for field in flows.schema)
    assert "flow" in raddle.explain(raddle.run(SMALL).flows)
    with pytest.raises(AttributeError, match="flows"):
        raddle.run(SMALL).flowz


def test_every_problem_comes_with_place_key_and_nearest_word():
    wrong = {
        **SMALL,
        "traffic": {"kind": "permutation", "mesage": "64 KiB"},
        "transport": {"load_balance": {"scheme": "opps"}},
    }
    with pytest.raises(raddle.ScenarioError) as caught:
        raddle.run(wrong)
    problems = caught.value.problems
    assert len(problems) >= 2
    scheme = next(p for p in problems if "opps" in p.message)
    assert (scheme.file, scheme.line, scheme.nearest) == ("<dict>", 7, "ops")
    assert scheme.key == "transport.load_balance.scheme"
    key = next(p for p in problems if "mesage" in p.message)
    assert (key.key, key.nearest) == ("traffic.mesage", "message")
    assert pickle.loads(pickle.dumps(caught.value)).problems == problems


def test_bad_paths_and_values_are_errors():
    with pytest.raises(raddle.ScenarioError, match="no_such.toml"):
        raddle.run("no_such.toml")
    with pytest.raises(raddle.ScenarioError, match="compare"):
        raddle.run(ROOT / "scenarios" / "demo.toml")
    with pytest.raises(TypeError, match="object"):
        raddle.run({"traffic": {"kind": object()}})


def test_a_comparison_is_the_commands(tmp_path):
    text = SMALL_TEXT + '[sweep]\n"transport.load_balance.scheme" = ["ecmp", "ops"]\nseed = "1..2"\n'
    file = tmp_path / "sweep.toml"
    file.write_text(text)
    printed = command("compare", file, "--json", "--out", tmp_path / "o", folder=tmp_path)
    ours = raddle.compare(file)
    assert ours == printed
    assert "ecmp" in str(ours)
    assert raddle.compare(file, seeds="1..2", parallel=1) == ours
    goodput = raddle.compare(file, metric="goodput")
    assert (goodput["metric"], goodput["unit"], goodput["better"]) == ("goodput", "Gbps", "higher")
    with pytest.raises(raddle.ScenarioError, match="nearest: `goodput`"):
        raddle.compare(file, metric="godput")
    with pytest.raises(raddle.ScenarioError, match="give the traffic a `name`"):
        raddle.sweep(file, tmp_path / "s", job="train")


def test_schemes_are_listed_with_parameters():
    listed = {scheme["name"]: scheme for scheme in raddle.schemes()}
    assert listed["reps"]["key"] == "transport.load_balance"
    assert listed["reps"]["parameters"]


def test_theory_gives_the_commands_numbers(tmp_path):
    for model in [entry["model"] for entry in raddle.theory()["models"]][:3]:
        assert raddle.theory(model) == command("theory", model, "--json", folder=tmp_path)
    with pytest.raises(raddle.ScenarioError, match="no model"):
        raddle.theory("no_such")


def test_ctrl_c_ends_a_long_run_and_other_threads_go_on():
    long = {**SMALL, "traffic": {"kind": "permutation", "message": "4 GiB"}}
    asked = []

    def ask():
        time.sleep(0.5)
        asked.append(time.monotonic())
        _thread.interrupt_main()

    threading.Thread(target=ask).start()
    with pytest.raises(KeyboardInterrupt):
        raddle.run(long)
    took = time.monotonic() - asked[0]
    assert took < 1.0, "within 100 ms where the machine is idle"
    print(f"Ctrl-C ended the run after {took * 1e3:.0f} ms")
