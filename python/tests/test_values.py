"""What calls give, as Python's own containers do: names, lengths, brackets, frames, pickles."""

import multiprocessing
import pickle
import sys

import numpy
import pandas
import polars
import pyarrow
import pytest

import raddle
from raddle import build
from test_commands import SWEEP
from test_raddle import SMALL

RECORDED = {"record.flows": [3], "record.ports": ["tor0.up*"], "record.bucket": "1 us"}


@pytest.fixture(scope="module")
def result():
    return raddle.run(SMALL, seed=2, set=RECORDED)


@pytest.fixture(scope="module")
def comparison():
    return raddle.compare(SWEEP, parallel=1)


def test_everything_says_what_it_is(result, comparison, tmp_path):
    assert repr(result).startswith("Result('16 hosts, ") and "seed=2, completion_us=" in repr(result)
    assert repr(result.flows).startswith("Table('flows', 16 rows, ")
    assert repr(result.flows["flow"]) == "Column('flow', 16 rows: 0, 1, 2, 3, 4, ..)"
    assert repr(result.flows["fct_us"]).startswith("Column('fct_us' (us), 16 rows: ")
    assert "completion (us) of ecmp, ops; 1 conditions, 2 seeds, 0 failed" in repr(comparison)
    assert repr(raddle.sweep(SWEEP, tmp_path)) == repr(comparison)
    assert repr(raddle.bounds(SMALL)).startswith("Answer('raddle.bounds/1', keys ")
    assert repr(result.report()).startswith("Page(")
    for value in (result, comparison, result.flows, result.flows["flow"], result.report()):
        assert " at 0x" not in repr(value) and len(repr(value)) < 500


def test_a_result_holds_tables_and_a_table_columns(result):
    assert list(result) == result.tables and len(result) == len(result.tables)
    assert "flows" in result and "flowz" not in result and result["flows"] is result.flows
    flows = result["flows"]
    assert len(flows) == flows.num_rows == 16
    assert list(flows) == [name for name, _, _ in flows.columns]
    assert "fct_us" in flows and "fct" not in flows
    times = flows["fct_us"]
    assert len(times) == 16 and times[0] == list(times)[0] == times[-16]
    assert times[2:4] == [times[2], times[3]] and times.unit == "us" and "ACK" in times.meaning
    with pytest.raises(IndexError, match="row 16: the column 'fct_us' has 16 rows"):
        times[16]
    with pytest.raises(KeyError, match="no column 'fct_u'; nearest: 'fct_us'"):
        flows["fct_u"]
    with pytest.raises(KeyError, match="no table 'flow': this run has .*; nearest: 'flows'"):
        result["flow"]
    with pytest.raises(AttributeError, match="nearest: 'flows'"):
        result.flow


def test_columns_are_arrows(result):
    for name in result:
        table = result[name]
        assert {own: table[own].to_list() for own in table} == pyarrow.table(table).to_pydict()


def test_columns_are_arrays(result):
    flows = result.flows
    times = numpy.asarray(flows["fct_us"])
    assert times.dtype == numpy.float64 and times.max() == max(flows["fct_us"])
    assert numpy.asarray(flows["flow"]).dtype == numpy.uint64
    assert numpy.asarray(flows["scenario"]).dtype == object
    stopped = raddle.run(SMALL, set={"run.end": "2 us"})
    assert stopped.flows["fct_us"][0] is None
    assert numpy.isnan(numpy.asarray(stopped.flows["fct_us"])).all()


def test_frames_have_the_rows_of_tables(result, comparison):
    flows = result.flows
    for frame in (flows.to_pandas(), flows.to_polars()):
        assert frame.shape == (16, len(flows.columns))
        assert list(frame["fct_us"]) == list(flows["fct_us"])
    for cells in (comparison.to_pandas(), comparison.to_polars()):
        assert list(cells["row"]) == ["ecmp", "ops"] and list(cells["mean"])[0] > 0
    assert isinstance(flows.to_pandas(), pandas.DataFrame)
    assert isinstance(flows.to_polars(), polars.DataFrame)


def test_frames_say_what_to_install(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match=r"to_polars\(\) needs polars: pip install polars"):
        result.flows.to_polars()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="needs pandas and pyarrow: pip install pandas pyarrow"):
        result.flows.to_pandas()


def test_notebooks_show_tables(result):
    shown = result.ports._repr_html_()
    assert shown.startswith("<table>") and "the first 10 shown" in shown and "tor0" in shown
    assert shown.count("<tr>") == 11
    assert raddle.bounds(SMALL)._repr_html_().startswith("<pre>")


def test_pickles_are_equal(result, comparison, tmp_path):
    again = pickle.loads(pickle.dumps(result))
    assert again == result and hash(again) == hash(result) and again != raddle.run(SMALL, seed=3)
    assert again.summary == result.summary and again.resolved == result.resolved
    assert (str(again), repr(again), again.notes) == (str(result), repr(result), result.notes)
    assert list(again) == list(result)
    for name in result:
        assert again[name] == result[name]
        assert pyarrow.table(again[name]).equals(pyarrow.table(result[name]), check_metadata=True)
    assert again.report() == result.report()
    for kept in (again, result):
        kept.export(pcapng=tmp_path / "a", csv=tmp_path / "csv") if kept is again else \
            kept.export(pcapng=tmp_path / "b", csv=tmp_path / "csv2")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    for file in (tmp_path / "csv").iterdir():
        assert file.read_bytes() == (tmp_path / "csv2" / file.name).read_bytes()
    assert pickle.loads(pickle.dumps(again)) == result

    other = pickle.loads(pickle.dumps(comparison))
    assert other == comparison and str(other) == str(comparison) and other.failed == []
    assert other.report() == comparison.report()
    bounds = raddle.bounds(SMALL)
    assert (pickle.loads(pickle.dumps(bounds)), str(bounds)) == (bounds, str(bounds))
    with pytest.raises(ValueError):
        raddle._raddle.Table(("flows", "", [("flow", "u64", "", "")], [(2, [([b"1"], None)])]))


def test_other_processes_give_results():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        [there] = pool.map(raddle.run, [SMALL])
    assert there == raddle.run(SMALL) and there.flows == raddle.run(SMALL).flows


def test_whole_numbers_are_bytes_where_sizes_are_meant():
    text = raddle.run(SMALL).summary["scenario"]
    ways = [
        {**SMALL, "traffic": {"kind": "permutation", "message": 65536}},
        {**SMALL, "traffic": build.traffic.permutation(message=numpy.int64(65536))},
    ]
    assert [raddle.run(way).summary["scenario"] for way in ways] == [text] * 2
    assert raddle.run(SMALL, set={"traffic.message": 1 << 16}).summary["scenario"] == text
    swept = raddle.compare({**SMALL, "sweep": {"traffic.message": [1024, 2048], "seed": [1]}})
    assert swept["rows"] == ["1024 B", "2048 B"]
    windows = [build.congestion.fixed_rate(window=window) for window in (100_000, "100000 B")]
    runs = [raddle.run({**SMALL, "transport": {"congestion": window}}) for window in windows]
    assert runs[0] == runs[1]
    with pytest.raises(raddle.ScenarioError, match="link_delay"):
        build_of = build.topology.fat_tree(hosts=16, link_delay=500)
        raddle.run({**SMALL, "fabric": {"topology": build_of}})


def test_arguments_that_no_call_has_are_told_with_the_nearest(result):
    wrong = [
        (TypeError, r"raddle.run\(\) has no argument 'thread'; nearest: 'threads'",
         lambda: raddle.run(SMALL, thread=2)),
        (TypeError, r"raddle.build.host.reps\(\) has no argument 'bufer'; nearest: 'buffer'",
         lambda: build.host.reps(bufer=4)),
        (TypeError, r"raddle.Result.export\(\) has no argument 'cvs'; nearest: 'csv'",
         lambda: result.export(cvs="o")),
        (ValueError, r"raddle.compare\(\): threads = 0: at least 1",
         lambda: raddle.compare(SMALL, threads=0)),
        (ValueError, r"raddle.sweep\(\): executor = 'slurn': .*; nearest: 'slurm'",
         lambda: raddle.sweep(SMALL, "o", executor="slurn")),
        (ValueError, r"raddle.train\(\): scheme = 'credense': .*; nearest: 'credence'",
         lambda: raddle.train("credense", SMALL)),
        (ValueError, r"raddle.plot.over_time\(\): quantity = 'queu': .*; nearest: 'queue'",
         lambda: raddle.plot.over_time(result, "queu")),
        (ValueError, r"raddle.Result.export\(\): flows = \[3\] has no effect without pcapng or perf",
         lambda: result.export(csv="o", flows=[3])),
        (ValueError, r"raddle.Result.export\(\): hops = 9 has no effect without perfetto",
         lambda: result.export(pcapng="o", hops=9)),
        (TypeError, r"raddle.run\(\): load_balance = 'ops': expected a class",
         lambda: raddle.run(SMALL, load_balance="ops")),
    ]
    for kind, message, call in wrong:
        with pytest.raises(kind, match=message):
            call()
