"""Pictures: what they draw, from the numbers that they draw it from."""

import matplotlib
import pytest

matplotlib.use("Agg")

import raddle
from raddle import plot
from test_commands import SWEEP
from test_raddle import SMALL

RECORDED = {**SMALL, "record": {"ports": ["tor0.up*"], "bucket": "1 us"}}


def test_completion_ends_at_the_share_that_completed():
    result = raddle.run(SMALL)
    axes = plot.completion({"a": result, "b": result})
    line = axes.get_lines()[0]
    assert len(line.get_xdata()) == 17 and line.get_ydata()[-1] == 1
    assert line.get_xdata()[-1] == result.summary["fct_us"]["max"]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["a", "b"]


def test_queues_and_utilisation_have_a_line_for_each_port():
    result = raddle.run(RECORDED)
    for quantity, most in (("queue", None), ("utilisation", 100)):
        axes = plot.over_time(result, quantity)
        assert [line.get_label() for line in axes.get_lines()] == ["tor0.up0", "tor0.up1"]
        highest = max(max(line.get_ydata()) for line in axes.get_lines())
        assert highest > 0 and (most is None or highest <= most + 1e-9)
    with pytest.raises(ValueError, match="record"):
        plot.over_time(raddle.run(SMALL))


def test_probes_have_a_line_for_each_flow_and_the_unit_of_their_word():
    record = {"probes": ["window", "acked"], "flows": [0, 3]}
    result = raddle.run({**SMALL, "record": record})
    axes = plot.probe(result, "window")
    assert [line.get_label() for line in axes.get_lines()] == ["flow 0", "flow 3"]
    assert axes.get_ylabel() == "window (B)"
    with pytest.raises(ValueError, match="acked, window"):
        plot.probe(result, "rtt")
    with pytest.raises(ValueError, match="probes"):
        plot.probe(raddle.run(SMALL), "window")


def test_links_have_a_row_for_each_direction():
    axes = plot.links(raddle.run(SMALL))
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert "host to tor" in labels and "tor to host" in labels and "core to agg" in labels
    heat = axes.get_images()[0].get_array()
    assert heat.shape == (6, 16) and 0 < heat.max() <= 100


def test_a_comparison_has_a_bar_for_each_scheme_and_condition():
    answer = raddle.compare(SWEEP)
    axes = plot.compare(answer)
    heights = [bar.get_height() for bar in axes.patches]
    assert heights == [cell["mean"] for cell in answer["cells"]]


def test_what_never_completed_is_said():
    # Flows that are hashed to the dead uplink have no other way.
    dead = {"condition": [{"name": "dead", "fault": [{"link": "tor0.up1", "down": ".."}],
                           "set": {"run.end": "1 ms"}}]}
    ecmp = {"transport": {"load_balance": {"scheme": "ecmp"}}, "sweep": {"seed": "1..4"}}
    answer = raddle.compare({**SMALL, **dead, **ecmp})
    axes = plot.compare(answer)
    assert [text.get_text() for text in axes.texts] == ["never"]
