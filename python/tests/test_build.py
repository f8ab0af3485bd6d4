"""Builders of scenarios."""

import inspect

import pytest

import raddle
from raddle import Scenario, build
from test_raddle import SMALL


def built(**more):
    return Scenario(
        fabric=build.fabric(topology=build.topology.fat_tree(hosts=16)),
        transport=build.transport(load_balance=build.host.ops()),
        traffic=build.traffic.permutation(message="64 KiB"),
        **more,
    )


def test_a_built_scenario_is_the_dict():
    assert built() == SMALL
    ours = raddle.run(built()).summary
    assert ours["results_hash"] == raddle.run(SMALL).summary["results_hash"]
    assert raddle.run(built().toml()).summary["scenario"] == ours["scenario"]


def test_a_built_sweep_runs():
    answer = raddle.compare(built(sweep={
        "transport.load_balance": [build.host.ops(), build.host.reps(buffer=4)], "seed": "1..2"}))
    assert "reps" in str(answer)


def test_mistakes_are_errors_at_once():
    with pytest.raises(TypeError, match="bufer"):
        build.host.reps(bufer=4)
    with pytest.raises(raddle.ScenarioError, match="nearest"):
        built(run={"sed": 3})
    with pytest.raises(raddle.ScenarioError):
        built(record=build.record(ports=["nowhere*"], bucket="5 us"))


def test_every_scheme_of_the_catalogue_has_a_builder():
    places = {
        "transport.load_balance": build.host, "fabric.load_balance": build.switch,
        "transport.congestion": build.congestion, "transport.recovery": build.recovery,
        "fabric.queue.marking": build.marking, "fabric.buffer": build.buffer,
        "fabric.tor": build.tor, "transport.planner": build.planner,
        "transport.plane": build.plane,
    }
    for scheme in raddle.schemes():
        builder = getattr(places[scheme["key"]], scheme["name"])
        keys = {key.rstrip("_") for key in inspect.signature(builder).parameters}
        assert {parameter["name"] for parameter in scheme["parameters"]} <= keys


def test_keys_that_are_words_of_python_keep_their_names():
    flow = build.flow(from_=0, to=1, bytes="1 MiB", class_=0)
    assert flow == {"from": 0, "to": 1, "bytes": "1 MiB", "class": 0}
