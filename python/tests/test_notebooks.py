"""The notebooks, headless in their quick form."""

import os
import subprocess
import sys

import pytest

from test_raddle import ROOT

WORDS = {
    "first_comparison": [],
    "published_figure": [],
    "design_study": ["--on", "local", "--out", "runs"],
}


@pytest.mark.parametrize("name", WORDS)
def test_a_notebook_runs(name, tmp_path):
    words = [sys.executable, ROOT / "notebooks" / f"{name}.py", "--quick", "true", *WORDS[name]]
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    run = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert "95 % confidence interval" in run.stdout


def test_every_notebook_is_run():
    assert {file.stem for file in (ROOT / "notebooks").glob("*.py")} == set(WORDS)
