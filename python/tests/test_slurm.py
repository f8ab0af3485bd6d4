"""`--on slurm`, with commands of Slurm that run an array's jobs on this machine."""

import os
import subprocess
import sys

import pytest

import raddle
from test_sweep import GRID, rows, tables

SBATCH = """#!{python}
import os, re, subprocess, sys
script = open(sys.argv[-1]).read()
open("asked", "w").write(script)
first, last = map(int, re.search(r"--array=(\\d+)-(\\d+)", script).groups())
for task in range(first, last + 1):
    own = {{"SLURM_JOB_ID": str(8 + task), "SLURM_ARRAY_JOB_ID": "7", "SLURM_LOCALID": "0",
           "SLURM_ARRAY_TASK_ID": str(task), "SLURM_NTASKS": "1", "SLURM_PROCID": "0",
           "SLURM_NODEID": "0", "SLURM_JOB_NUM_NODES": "1", "SLURM_JOB_NODELIST": "here"}}
    # By its text: submitit moves the file.
    subprocess.Popen(["sh", "-c", script], env={{**os.environ, **own}}, stdout=subprocess.DEVNULL,
                     stderr=subprocess.DEVNULL, start_new_session=True)
print("Submitted batch job 7")
"""
SRUN = """#!/bin/sh
while true; do
    case $1 in
    --output | --error) shift 2 ;;
    --*) shift ;;
    *) exec "$@" ;;
    esac
done
"""
SACCT = """#!/bin/sh
echo 'JobID|State|NodeList'
for task in 0 1 2 3; do echo "7_$task|RUNNING|here"; done
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
def test_slurm_runs_an_array_of_jobs(tmp_path):
    commands = {"sbatch": SBATCH.format(python=sys.executable), "srun": SRUN, "sacct": SACCT}
    (tmp_path / "bin").mkdir()
    for name, text in commands.items():
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755)
    grid = GRID.replace("1..6", "1..2")
    (tmp_path / "grid.toml").write_text(grid)
    words = [sys.executable, "-m", "raddle", "sweep", "grid.toml", "--out", "o", "--on", "slurm",
             "--threads", "2"]
    environment = {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    run = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True,
                         timeout=300)
    assert run.returncode == 0, run.stderr
    assert "ops" in run.stdout
    asked = (tmp_path / "asked").read_text()
    for word in ("--array=0-3", "--cpus-per-task=2", "--mem=2GB", "--time=1440"):
        assert f"#SBATCH {word}" in asked
    raddle.sweep(grid, tmp_path / "local")
    assert rows(tmp_path / "o") == rows(tmp_path / "local")
    assert tables(tmp_path / "o") == tables(tmp_path / "local")
