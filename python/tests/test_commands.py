"""The other commands' twins against the commands."""

import json

import pytest

import raddle
from test_raddle import ROOT, SMALL, SMALL_TEXT, command

SWEEP = SMALL_TEXT + '[sweep]\n"transport.load_balance.scheme" = ["ecmp", "ops"]\nseed = "1..2"\n'


def test_bounds_are_the_commands(tmp_path):
    file = tmp_path / "sweep.toml"
    file.write_text(SWEEP)
    ours = raddle.bounds(file)
    assert ours == command("bounds", file, "--json", folder=tmp_path)
    assert "rho_max" in str(ours)
    with pytest.raises(raddle.ScenarioError):
        raddle.bounds({**SMALL, "traffic": {}})


def test_throughput_is_the_commands(tmp_path):
    one = raddle.throughput("ring", "vermilion:k=3", nodes=8)
    printed = command("throughput", "ring", "vermilion:k=3", "--nodes", 8, "--json", folder=tmp_path)
    assert one == printed
    assert "vermilion" in str(one)
    with pytest.raises(raddle.ScenarioError, match="nearest: `vermilion`"):
        raddle.throughput("ring", "vermillion")
    assert "vermilion" in raddle.designs()


def test_a_grid_of_throughputs_is_the_commands_and_is_kept(tmp_path):
    kept = tmp_path / "rows"
    grid = raddle.throughput(["ring", "uniform"], "round_robin", nodes=8, out=kept, single_hop=True)
    printed = command(
        "throughput", "ring", "round_robin", "--demand", "uniform", "--nodes", 8, "--single-hop",
        "--json", folder=tmp_path,
    )
    assert grid == printed
    written = kept.read_text()
    again = raddle.throughput(["ring", "uniform"], "round_robin", nodes=8, out=kept, single_hop=True)
    assert again == grid and kept.read_text() == written


def test_a_figure_is_reproduced_as_by_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ours = raddle.reproduce("mars/table7_1", quick=True, out=tmp_path / "o")
    printed = command("reproduce", "mars/table7_1", "--quick", "--json", folder=tmp_path)
    assert ours == printed
    assert (tmp_path / "o" / "mars" / "table7_1.html").is_file()
    assert any("kept" in note for note in raddle.reproduce(
        "mars/table7_1", quick=True, out=tmp_path / "o").notes)
    assert "mars/table7_1" in str(raddle.figures("mars"))
    with pytest.raises(raddle.ScenarioError, match="no figure `mars/table7`"):
        raddle.figures("mars/table7")


def test_a_comparison_has_the_commands_page():
    answer = raddle.compare(SWEEP, seeds=[1])
    page = answer.report()
    assert page.startswith("<!") and "ecmp" in page
    assert answer._repr_html_().startswith("<iframe srcdoc=")
    assert "<html" in raddle.run(SMALL).report()


def test_demonstration_is_there():
    assert json.loads(json.dumps(raddle.bounds(ROOT / "scenarios" / "demo.toml")))["cells"]
