"""The program of the researcher's tutorial prints what the page shows."""

import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).parents[2] / "docs/tutorials/researcher.md"


def test_the_tutorials_program_prints_what_the_page_shows(tmp_path: pathlib.Path) -> None:
    text = PAGE.read_text()
    program = re.search(r"```python\n(# idea\.py\n.*?)```", text, re.DOTALL)
    shown = re.search(r"```console\n\$ python idea\.py\n(.*?)```", text, re.DOTALL)
    assert program and shown
    (tmp_path / "idea.py").write_text(program[1])
    command = [sys.executable, "idea.py"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr
    assert said.stdout == shown[1]
