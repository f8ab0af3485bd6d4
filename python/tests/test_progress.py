"""Progress: where a function draws it, in a kernel of Jupyter and in a notebook of marimo."""

import re
import subprocess
import sys
import textwrap

import pytest

import raddle
from test_commands import SWEEP
from test_raddle import SMALL

LONG = {**SMALL, "traffic": {"kind": "permutation", "message": "192 MiB"}}


def test_a_function_draws_the_share_that_is_done(tmp_path):
    lines = []
    raddle.run(LONG, progress=lambda share, text: lines.append((share, text)))
    shares = [share for share, _ in lines]
    assert shares == sorted(shares) and 0 < shares[0] < 1
    assert "packet-hops/s" in lines[0][1] and " left" in lines[0][1]
    lines.clear()
    raddle.sweep(
        SWEEP, tmp_path, executor="local", parallel=1,
        progress=lambda share, text: lines.append((share, text)),
    )
    assert lines == [(count / 4, f"{count} of 4 runs") for count in (1, 2, 3, 4)]


def test_what_a_function_raises_ends_the_run():
    def draw(share, text):
        raise KeyError(text)

    with pytest.raises(KeyError):
        raddle.run({**SMALL, "traffic": {"kind": "permutation", "message": "4 GiB"}}, progress=draw)


def test_a_kernel_of_jupyter_shows_one_line_that_renews_itself():
    manager = pytest.importorskip("jupyter_client.manager")
    pytest.importorskip("ipykernel")
    kernel, client = manager.start_new_kernel(kernel_name="python3")
    try:
        messages = []
        code = f"import raddle; raddle.run({LONG}).summary['completed']"
        reply = client.execute_interactive(code, timeout=300, output_hook=messages.append)
        assert reply["content"]["status"] == "ok", reply["content"]
    finally:
        client.stop_channels()
        kernel.shutdown_kernel(now=True)
    drawn = [message for message in messages if message["msg_type"].endswith("display_data")]
    kinds = [message["msg_type"] for message in drawn]
    assert kinds == ["display_data"] + ["update_display_data"] * (len(kinds) - 1)
    assert len({message["content"]["transient"]["display_id"] for message in drawn}) == 1
    texts = [message["content"]["data"]["text/plain"] for message in drawn]
    shares = [int(re.search(r"(\d+) %", text)[1]) for text in texts[:-1]]
    assert len(shares) > 1 and shares == sorted(shares)
    assert texts[-1] == "", "the line is removed at the end"
    assert not [message for message in messages if message["msg_type"] == "stream"]


def test_marimo_shows_its_own_bar(tmp_path):
    pytest.importorskip("marimo")
    (tmp_path / "long.py").write_text(textwrap.dedent(f"""
        import marimo

        app = marimo.App()

        @app.cell
        def _():
            from marimo._plugins.stateless.status import _progress

            drawn = []
            update = _progress.ProgressBar.update

            def spy(self, increment=1, title=None, subtitle=None):
                update(self, increment, title, subtitle)
                drawn.append(self.current)

            _progress.ProgressBar.update = spy

            import raddle

            raddle.run({LONG})
            print("drawn", len(drawn), drawn == sorted(drawn), drawn[-1])
            return
    """))
    words = [sys.executable, "-m", "marimo", "export", "html", "long.py", "-o", "long.html"]
    run = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    page = (tmp_path / "long.html").read_text()
    drawn = re.search(r"drawn (\d+) True", page)
    assert drawn and int(drawn[1]) > 1
    assert "marimo-progress" not in page, "the bar is removed at the end"
