"""A published figure, run again and varied.

    marimo edit notebooks/published_figure.py      or      python notebooks/published_figure.py
"""

import marimo

app = marimo.App(width="medium")


@app.cell
def _():
    from pathlib import Path

    import marimo as mo
    import matplotlib.pyplot as plt

    import raddle
    from raddle import plot

    # `python published_figure.py --quick true`: smaller, for tests.
    quick = bool(mo.cli_args().get("quick"))
    figures = Path(__file__).parents[1] / "figures"
    return figures, mo, plot, plt, quick, raddle


@app.cell
def _(mo, raddle):
    mo.md(f"# What the last full runs gave\n\n```\n{raddle.figures('reps')}\n```")
    return


@app.cell
def _(quick, raddle):
    # Claim by claim, each against its band; the quick form takes less than a minute.
    again = raddle.reproduce("reps/fig2" if not quick else "mars/table7_1", quick=True)
    print(again)
    return (again,)


@app.cell
def _(again, mo):
    mo.ui.table(
        [
            {key: claim[key] for key in ("id", "measured", "verdict") if key in claim}
            for figure in again["figures"]
            for claim in figure["claims"]
        ]
    )
    return


@app.cell
def _(mo):
    mo.md(
        """
        ## Varied

        The figure's scenario is a file like any other: the same question to load balancers that the
        figure does not show.
        """
    )
    return


@app.cell
def _(figures, plot, plt, quick, raddle):
    # The figure's own scenario, with another sweep.
    text = (figures / "reps" / "fig2" / "scenario.toml").read_text().partition("[sweep]")[0]
    varied = raddle.compare(
        f'{text}[sweep]\n"transport.load_balance.scheme" = ["ecmp", "flowlet", "plb", "ops", "reps"]\n',
        seeds=[1, 2] if quick else range(1, 11),
    )
    _figure, _axes = plt.subplots(layout="constrained")
    plot.compare(varied, ax=_axes)
    _figure
    return (varied,)


@app.cell
def _(varied):
    print(varied)
    return


if __name__ == "__main__":
    app.run()
