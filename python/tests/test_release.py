"""The workflow of releases, as far as it can be checked where it does not run."""

import os
import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
WORKFLOW = ROOT / ".github" / "workflows" / "release.yml"


def test_jobs_name_each_other_and_scripts_that_are_there():
    workflow = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    jobs = workflow["jobs"]
    # `on` is a flag in YAML 1.1.
    assert workflow[True]["push"]["tags"] == ["v*"]
    for name, job in jobs.items():
        assert set(job.get("needs", [])) <= jobs.keys(), name
        # Each step does one thing.
        assert all(("run" in step) != ("uses" in step) for step in job["steps"]), name
    assert set(jobs["release"]["needs"]) == jobs.keys() - {"release"}
    runs = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    scripts = set(re.findall(r"\.ci/\w+", " ".join(runs)))
    assert {".ci/archive", ".ci/package", ".ci/readme"} <= scripts
    assert all(os.access(ROOT / script, os.X_OK) for script in scripts)


def test_expressions_name_what_the_matrix_has():
    jobs = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]
    for name, job in jobs.items():
        rows = job.get("strategy", {}).get("matrix", {}).get("include", [{}])
        used = set(re.findall(r"matrix\.(\w+)", str(job)))
        assert used <= set().union(*rows), name
        optional = set(re.findall(r"matrix\.(\w+) \|\|", str(job)))
        assert all(used - optional <= row.keys() for row in rows), name
