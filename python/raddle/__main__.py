"""The command `raddle`, and `raddle sweep FILE --out URL --on ..`: a sweep on many machines."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from pathlib import Path

from . import _raddle, _scenario
from ._arguments import Wrong
from ._errors import ScenarioError
from ._sweep import sweep_text


def main() -> int:
    """The command with the words of this process; its exit status."""
    words = sys.argv[1:]
    if _is_on_many(words):
        return on_many(words)
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        # Python's own handler would wait for the command to end.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _raddle.main(["raddle", *words])


def _is_on_many(words: list[str]) -> bool:
    """Whether they ask for a sweep that somebody else runs, or keeps."""
    outs = [out for word, out in zip(words, words[1:]) if word == "--out"]
    outs += [word for word in words if word.startswith("--out=")]
    is_asked = any(word.partition("=")[0] == "--on" for word in words)
    return words[:1] == ["sweep"] and (is_asked or any("://" in out for out in outs))


def on_many(arguments: list[str]) -> int:
    """A sweep with `--on`; its exit status is `raddle`'s: 0 done, 1 some run failed, 2 bad input."""
    parser = argparse.ArgumentParser(prog="raddle")
    commands = parser.add_subparsers(dest="command", required=True)
    sweep = commands.add_parser(
        "sweep", help="run a large grid on many machines; interrupted, it resumes where it stopped"
    )
    sweep.add_argument("file", metavar="FILE", help="the scenario file")
    sweep.add_argument(
        "--set", action="append", default=[], metavar="PATH=VALUE", type=_assignment,
        help='change a key of the scenario: --set \'traffic.message="1 MiB"\'; may be repeated',
    )
    sweep.add_argument("--seeds", metavar="SEEDS", help="as 1..5 or 1,4,9; else the scenario's")
    sweep.add_argument("--metric", metavar="METRIC", help="what runs are compared by")
    sweep.add_argument("--job", metavar="JOB", help="of this job alone")
    sweep.add_argument(
        "--out", required=True, metavar="URL",
        help="the folder or the URL (s3://..) that keeps the runs; what it holds is not repeated",
    )
    sweep.add_argument(
        "--on", default="local", metavar="WHERE", help="ray, ray://HOST:PORT, slurm or local"
    )
    sweep.add_argument("--redo", action="store_true", help="run damaged runs again")
    sweep.add_argument("--csv", action="store_true", help="tables as CSV instead of Parquet")
    sweep.add_argument("--parallel", type=int, metavar="N", help="runs at a time, with --on local")
    sweep.add_argument("--threads", type=int, default=1, metavar="N", help="inside each run")
    sweep.add_argument("--json", action="store_true", help="print one JSON object, no progress")
    asked = parser.parse_args(arguments)
    try:
        changes = [*asked.set, *_seeds(asked.seeds)]
        content, name, base, _ = _scenario.text(Path(asked.file), None)
        answer = sweep_text(
            (content, name, base, changes), (asked.metric, asked.job), asked.out, asked.redo,
            asked.csv, asked.parallel, asked.threads, asked.on, False if asked.json else None, [], [],
        )
    except (ScenarioError, ValueError, ImportError, Wrong) as error:
        print(f"{'' if isinstance(error, ScenarioError) else 'error: '}{error}", file=sys.stderr)
        return 2
    except RuntimeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted; the same command goes on with the rest", file=sys.stderr)
        return 1
    for why in answer.failed:
        print(f"error: {why}", file=sys.stderr)
    print(json.dumps(answer) if asked.json else answer)
    return 1 if answer.failed else 0


def _assignment(text: str) -> tuple[str, str]:
    path, equals, value = text.partition("=")
    if not equals or not path.strip():
        raise argparse.ArgumentTypeError("expected PATH=VALUE")
    return path.strip(), value.strip()


def _seeds(text: str | None) -> list[tuple[str, str]]:
    """Seeds in the scenario's form of them."""
    if text is None:
        return []
    value = f'"{text.replace("..=", "..")}"' if ".." in text else f"[{text}]"
    return [("sweep.seed", value)]


if __name__ == "__main__":
    sys.exit(main())
