"""The first comparison: which load balancer survives a dead uplink, and why.

    marimo edit notebooks/first_comparison.py      or      python notebooks/first_comparison.py
"""

import marimo

app = marimo.App(width="medium")


@app.cell
def _():
    import marimo as mo
    import matplotlib.pyplot as plt

    import raddle
    from raddle import Scenario, build, plot

    # `python first_comparison.py --quick true`: smaller, for tests.
    quick = bool(mo.cli_args().get("quick"))
    return Scenario, build, mo, plot, plt, quick, raddle


@app.cell
def _(mo):
    mo.md(
        """
        # Which load balancer survives a dead uplink?

        A permutation on a three-tier fat tree: every host sends one message and receives one.
        Three load balancers, on a healthy fabric and with one uplink of the first ToR dead.
        """
    )
    return


@app.cell
def _(Scenario, build, quick):
    scenario = Scenario(
        fabric=build.fabric(topology=build.topology.fat_tree(hosts=16 if quick else 128)),
        traffic=build.traffic.permutation(message="256 KiB" if quick else "2 MiB"),
        sweep={
            "transport.load_balance": [build.host.ecmp(), build.host.ops(), build.host.reps()],
            "seed": "1..2" if quick else "1..5",
        },
        condition=[
            build.condition(name="healthy"),
            build.condition(
                name="one uplink dead",
                fault=[build.fault(link="tor0.up1", down="10 us..")],
                set={"run.end": "50 ms"},
            ),
        ],
    )
    return (scenario,)


@app.cell
def _(raddle, scenario):
    comparison = raddle.compare(scenario)
    print(comparison)
    return (comparison,)


@app.cell
def _(comparison, mo):
    mo.md("\n".join(f"- {sentence}" for sentence in comparison["answer"]))
    return


@app.cell
def _(comparison, plot, plt):
    _figure, _axes = plt.subplots(layout="constrained")
    plot.compare(comparison, ax=_axes).set_yscale("log")
    _figure
    return


@app.cell
def _(mo):
    mo.md("## Why: the same run, packet by packet\n\nFlows that a dead link has caught end last.")
    return


@app.cell
def _(plot, plt, raddle, scenario):
    one = {key: value for key, value in scenario.items() if key not in ("sweep", "condition")}
    one["fault"] = [{"link": "tor0.up1", "down": "10 us.."}]
    one["record"] = {"ports": ["tor0.up*"], "bucket": "2 us"}
    results = {
        scheme: raddle.run({**one, "transport": {"load_balance": {"scheme": scheme}}})
        for scheme in ("ops", "reps")
    }
    _figure, _axes = plt.subplots(1, 3, figsize=(14, 4), layout="constrained")
    plot.completion(results, ax=_axes[0])
    plot.over_time(results["reps"], "utilisation", ax=_axes[1])
    plot.links(results["reps"], ax=_axes[2])
    _figure
    return (results,)


@app.cell
def _(results):
    # The page that opens offline, inline.
    results["reps"].report()
    return


if __name__ == "__main__":
    app.run()
