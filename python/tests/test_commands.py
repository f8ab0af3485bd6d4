"""The other commands' twins against the commands."""

import json
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

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


def test_an_inventory_is_the_commands(tmp_path):
    file = tmp_path / "sweep.toml"
    file.write_text(SWEEP)
    ours = raddle.inventory(file)
    assert ours == command("inventory", file, "--json", folder=tmp_path)
    counted = ours["cells"][0]["inventory"]
    assert counted["optics_with_hosts"] == 2 * counted["cable_count"]
    assert "optics" in str(ours)


QUESTION = """base = "base.toml"
[[work]]
name = "step"
traffic = { kind = "permutation", message = "64 KiB" }
short = true
[[failure]]
of = "cables"
layer = "tor_agg"
mtbf = "1000 h"
mttr = "10 h"
[job]
stops_after = "10 s"
restart = "68 min"
"""


def test_advice_is_the_commands(tmp_path):
    (tmp_path / "base.toml").write_text(
        "[fabric]\n"
        'topology = { kind = "leaf_spine", leaves = 2, hosts_per_leaf = 2, spines = 2 }\n'
    )
    file = tmp_path / "question.toml"
    file.write_text(QUESTION)
    counted = raddle.advise(file, count=True)
    assert counted == command("advise", file, "--count", "--json", folder=tmp_path)
    ours = raddle.advise(file, tmp_path / "ours")
    out = tmp_path / "theirs"
    assert ours == command("advise", file, "--out", out, "--json", folder=tmp_path)
    assert "the base" in str(ours) and (tmp_path / "ours/advice.html").is_file()
    with ThreadPoolExecutor(2) as pool:
        assert raddle.advise(file, tmp_path / "others", executor=pool) == ours
    again = raddle.advise(file, tmp_path / "ours", again={"failure.0.mtbf": "2000 h"})
    assert again["ranking"][0]["goodput"] > ours["ranking"][0]["goodput"]
    with pytest.raises(ValueError, match="out is needed"):
        raddle.advise(file)
    with pytest.raises(raddle.ScenarioError, match="lacks `mtbf`"):
        raddle.advise(QUESTION.replace('mtbf = "1000 h"\n', ""), count=True)


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


def test_throughput_of_many_nodes_is_bounded_as_by_the_command(tmp_path):
    said = raddle.throughput("random", "round_robin", nodes=32, within=0.01)
    asked = ["random", "round_robin", "--nodes", 32, "--within", 0.01]
    assert said == command("throughput", *asked, "--json", folder=tmp_path)
    assert said["multi_hop_found"] <= said["multi_hop"] <= 1.01 * said["multi_hop_found"]
    with pytest.raises(ValueError, match="above 0 and up to 1"):
        raddle.throughput("ring", "round_robin", within=0)
    with pytest.raises(TypeError, match="expected a share"):
        raddle.throughput("ring", "round_robin", within="close")


def test_a_figure_is_reproduced_as_by_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ours = raddle.reproduce("mars/table7_1", quick=True, out=tmp_path / "o")
    printed = command("reproduce", "mars/table7_1", "--quick", "--json", folder=tmp_path)
    assert ours == printed
    assert (tmp_path / "o" / "mars" / "table7_1.html").is_file()
    assert any("kept" in note for note in raddle.reproduce(
        "mars/table7_1", quick=True, out=tmp_path / "o").notes)
    with pytest.raises(raddle.ScenarioError, match="is of a model and has no scenario"):
        raddle.reproduce("mars/table7_1", quick=True, set={"run.end": "1 ms"})
    assert "mars/table7_1" in str(raddle.figures("mars"))
    with pytest.raises(raddle.ScenarioError, match="no figure `mars/table7`"):
        raddle.figures("mars/table7")


def test_an_oracle_is_the_commands(tmp_path):
    file = tmp_path / "lqd.toml"
    file.write_text(
        """
[fabric]
topology = { kind = "leaf_spine", leaves = 2, hosts_per_leaf = 4, spines = 2, rate = "10 Gbps" }
queue = { size = "unlimited", marking = { scheme = "none" } }
buffer = { scheme = "longest_queue_drop", size = "60 kB" }
[transport]
congestion = { scheme = "cubic" }
[traffic]
kind = "incast"
senders = 6
message = "1 MB"
"""
    )
    ours = raddle.train("credence", file, tmp_path / "ours", trees=2, seeds=[1, 2])
    printed = command(
        "train", "credence", file, "--out", tmp_path / "printed", "--trees", 2, "--seeds", "1,2",
        "--json", folder=tmp_path,
    )
    assert ours == printed
    kept = [(tmp_path / name).read_text() for name in ("ours", "printed")]
    forests = [[line for line in text.splitlines() if line[0] != "#"] for text in kept]
    assert forests[0] == forests[1] and len(forests[0]) == 2
    with pytest.raises(ValueError, match="expected 'credence'"):
        raddle.train("lqd", file)
    with pytest.raises(raddle.ScenarioError, match="nothing was dropped"):
        raddle.train("credence", file, set={"fabric.buffer.size": "60 MB"})


def test_a_comparison_has_the_commands_page():
    answer = raddle.compare(SWEEP, seeds=[1])
    page = answer.report()
    assert page.startswith("<!") and "ecmp" in page
    assert answer._repr_html_().startswith("<iframe srcdoc=")
    assert "<html" in raddle.run(SMALL).report()


def test_a_result_goes_to_other_tools(tmp_path):
    recorded = {"record.map": True, "record.flows": [3]}
    result = raddle.run(SMALL, set=recorded)
    names = ["a.pcapng", "a.pftrace", "csv", "parquet"]
    pcapng, perfetto, csv, parquet = [tmp_path / name for name in names]
    assert result.export(pcapng=pcapng, perfetto=perfetto, csv=csv, parquet=parquet) == []
    assert pcapng.read_bytes()[:4] == b"\x0a\x0d\x0d\x0a" and perfetto.stat().st_size > 1000
    assert sorted(path.stem for path in csv.iterdir()) == sorted(result.tables)
    assert {path.stem for path in parquet.iterdir()} == set(result.tables)
    bare = raddle.run(SMALL)
    with pytest.raises(raddle.ScenarioError, match="record.flows = "):
        bare.export(pcapng=pcapng)
    with pytest.raises(ValueError, match="nothing to write"):
        bare.export()
    with pytest.raises(raddle.ScenarioError, match="hops are more than 5"):
        result.export(perfetto=perfetto, hops=5)
    with pytest.raises(ValueError, match="flows = -1: at least 0"):
        result.export(perfetto=perfetto, flows=[-1])
    with pytest.raises(OSError, match="no/folder"):
        result.export(pcapng=tmp_path / "no/folder/a.pcapng")


def test_demonstration_is_there():
    assert json.loads(json.dumps(raddle.bounds(ROOT / "scenarios" / "demo.toml")))["cells"]


def test_numbers_out_of_range_name_their_argument(tmp_path):
    """Never an `OverflowError` that leaves one guessing."""
    calls = [
        ("threads = 0: at least 1", lambda: raddle.run(SMALL, threads=0)),
        ("threads = -1: at least 1", lambda: raddle.compare(SMALL, threads=-1)),
        ("threads = 4294967296: at most 4294967295", lambda: raddle.run(SMALL, threads=2**32)),
        ("seed = -1: at least 0", lambda: raddle.run(SMALL, seed=-1)),
        ("seed = 9223372036854775808: at most", lambda: raddle.run(SMALL, seed=2**63)),
        ("parallel = 0: at least 1", lambda: raddle.compare(SMALL, parallel=0)),
        ("parallel = 0: at least 1", lambda: raddle.sweep(SMALL, tmp_path, parallel=0)),
        ("parallel = -3: at least 1", lambda: raddle.reproduce("reps/fig2", quick=True, parallel=-3)),
        ("nodes = 0: at least 1", lambda: raddle.throughput("ring", "vermilion", nodes=0)),
        ("seed = -2: at least 0", lambda: raddle.throughput("ring", "vermilion", seed=-2)),
        ("seed = -1: at least 0", lambda: raddle.theory("spray_queue", seed=-1)),
    ]
    for message, call in calls:
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(TypeError, match="threads = 1.5: expected a whole number, not float"):
        raddle.run(SMALL, threads=1.5)


def test_a_scenario_without_an_end_is_refused():
    with pytest.raises(raddle.ScenarioError, match="cannot read /dev/zero: it is no text"):
        raddle.run("/dev/zero")


def package(*words, **how):
    """The command that the package brings."""
    arguments = [sys.executable, "-m", "raddle", *map(str, words)]
    return subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how
    )


def test_the_package_brings_the_command(tmp_path):
    (tmp_path / "small.toml").write_text(SMALL_TEXT)
    ours = package("run", "small.toml", "--json", cwd=tmp_path)
    out, error = ours.communicate()
    assert ours.returncode == 0, error
    printed = command("run", "small.toml", "--json", folder=tmp_path)
    assert json.loads(out)["results_hash"] == printed["results_hash"]
    bad = package("run", "smal.toml", cwd=tmp_path)
    assert "smal.toml" in bad.communicate()[1] and bad.returncode == 2
    version = package("--version").communicate()[0]
    assert version.startswith(f"raddle {raddle.__version__}\n") and "features" in version


@pytest.mark.skipif(sys.platform == "win32", reason="has no such signal")
def test_ctrl_c_ends_the_packages_command(tmp_path):
    (tmp_path / "long.toml").write_text(SMALL_TEXT.replace("64 KiB", "4 GiB"))
    ours = package("run", "long.toml", cwd=tmp_path, preexec_fn=lambda: signal.signal(
        signal.SIGINT, signal.default_int_handler))
    time.sleep(1)
    ours.send_signal(signal.SIGINT)
    ours.communicate(timeout=20)
    assert ours.returncode != 0
