"""A design study of 1,000 runs on Ray that ends in one picture: how many dead cables does each load
balancer bear?

    marimo edit notebooks/design_study.py      or      python notebooks/design_study.py
"""

import marimo

app = marimo.App(width="medium")


@app.cell
def _():
    import tempfile
    from pathlib import Path

    import marimo as mo
    import matplotlib.pyplot as plt
    import pyarrow.parquet

    import raddle
    from raddle import Scenario, build

    # `--quick true`: 16 runs, for tests. `--on`: who runs them; `--out`: where they are kept.
    arguments = mo.cli_args()
    quick = bool(arguments.get("quick"))
    on = arguments.get("on") or "ray"
    out = arguments.get("out") or str(Path(tempfile.gettempdir()) / "design_study")
    return Scenario, build, mo, on, out, plt, pyarrow, quick, raddle


@app.cell
def _(mo):
    mo.md(
        """
        # How many dead cables does each load balancer bear?

        A permutation on a fat tree in which a share of the cables between switches is dead from the
        start. Routing heals after a while; until then whoever sprays blindly sends into the dead
        ones. Five load balancers, ten shares, twenty draws of the cables each.
        """
    )
    return


@app.cell
def _(Scenario, build, quick):
    shares = [0, 4] if quick else [0, 1, 2, 3, 4, 5, 6, 8, 10, 12]
    schemes = ["ecmp", "plb", "flowlet", "ops", "reps"]
    grid = Scenario(
        fabric=build.fabric(
            topology=build.topology.fat_tree(hosts=16 if quick else 128),
            routing=build.routing(convergence="1 ms"),
        ),
        traffic=build.traffic.permutation(message="128 KiB" if quick else "1 MiB"),
        run=build.run(end="20 ms"),
        sweep={
            "transport.load_balance.scheme": schemes[-2:] if quick else schemes,
            "seed": "1..4" if quick else "1..20",
        },
        condition=[
            build.condition(
                name=f"{share} %",
                fault=[build.fault(random=build.random(share=f"{share}%"), down="..")]
                if share
                else [],
            )
            for share in shares
        ],
    )
    return (grid,)


@app.cell
def _(grid, on, out, raddle):
    # Interrupted, the same call goes on; the runs are kept in `out`.
    answer = raddle.sweep(grid, out, executor=on)
    print(answer)
    return (answer,)


@app.cell
def _(answer, out, plt, pyarrow):
    # One row a run, as the sweep keeps it; the picture needs but three of its columns.
    runs = pyarrow.parquet.read_table(f"{out}/runs.parquet").to_pylist()
    _figure, _axes = plt.subplots(layout="constrained")
    for _row in answer["rows"]:
        _own = [run for run in runs if run["transport.load_balance.scheme"] == _row]
        _points = {}
        for run in _own:
            _points.setdefault(float(run["condition"].split()[0]), []).append(run["fct_p99_us"])
        _places = sorted(_points)
        _medians = [sorted(_points[place])[len(_points[place]) // 2] for place in _places]
        _axes.plot(_places, _medians, marker="o", label=_row)
    _axes.set(xlabel="dead cables (%)", ylabel="p99 flow completion time (us), median of draws")
    _axes.set_yscale("log")
    _axes.legend()
    _figure
    return


if __name__ == "__main__":
    app.run()
