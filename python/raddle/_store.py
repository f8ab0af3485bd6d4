"""Stores of runs: a folder, or a place of an object store. A run is a folder named by the scenario's
hash, the seed and the build, so the same run is the same name, whoever writes it."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

SUMMARY = "run.json"
"""The file that is written last: a run without it is none."""


class Store(Protocol):
    """Where runs are kept. Any number of processes write into one; none waits for another."""

    def names(self) -> set[str]:
        """Names of the runs that are there."""

    def summary(self, name: str) -> str:
        """The `run.json` of a run that is there."""

    def put(self, name: str, folder: Path) -> None:
        """Keep a run: it is there as a whole or not at all."""

    def remove(self, name: str) -> None:
        """Remove a run."""

    def clear(self, names: Iterable[str]) -> None:
        """Remove what is left of attempts at runs that are there."""

    def put_file(self, file: Path) -> None:
        """Put a file beside the runs, or replace it."""

    def place(self, name: str) -> str:
        """The path or URL of a run or a file."""


def open_store(out: str | os.PathLike[str]) -> Store:
    """The store at a path or a URL that fsspec knows (`s3://bucket/grid`)."""
    place = os.fspath(out)
    if "://" in place and not place.startswith("file://"):
        return Objects(place)
    return Folder(Path(place.removeprefix("file://")))


class Folder:
    """A folder, as `raddle sweep --out` has it: a run gets its name by one rename."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder

    def names(self) -> set[str]:
        return {path.parent.name for path in self._folder.glob(f"*/{SUMMARY}")
                if not path.parent.name.startswith(".")}

    def summary(self, name: str) -> str:
        return (self._folder / name / SUMMARY).read_text(encoding="utf-8")

    def put(self, name: str, folder: Path) -> None:
        place = self._folder / name
        # The leading name is what `raddle sweep` takes for a run that has not finished.
        scratch = self._folder / f".unfinished-{name}-{uuid.uuid4().hex[:8]}"
        try:
            shutil.copytree(folder, scratch)
            scratch.rename(place)
        except OSError:
            shutil.rmtree(scratch, ignore_errors=True)
            # Another one was faster, with the same run.
            if not (place / SUMMARY).is_file():
                raise

    def remove(self, name: str) -> None:
        shutil.rmtree(self._folder / name)

    def clear(self, names: Iterable[str]) -> None:
        there = set(names)
        for path in self._folder.glob(".unfinished-*"):
            # Behind the run's name stands a word that no other attempt has.
            if path.name.removeprefix(".unfinished-").rpartition("-")[0] in there:
                shutil.rmtree(path, ignore_errors=True)

    def put_file(self, file: Path) -> None:
        scratch = self._folder / f".unfinished-{file.name}-{uuid.uuid4().hex[:8]}"
        try:
            shutil.copyfile(file, scratch)
            scratch.replace(self._folder / file.name)
        finally:
            scratch.unlink(missing_ok=True)

    def place(self, name: str) -> str:
        return str(self._folder / name)


class Objects:
    """A place of an object store. Objects are written whole, and `run.json` last."""

    def __init__(self, url: str) -> None:
        import fsspec  # type: ignore[import-untyped]  # one door to S3, GCS and the like

        self._files: Any
        self._files, self._root = fsspec.core.url_to_fs(url.rstrip("/"))
        self._url = url.rstrip("/")

    def names(self) -> set[str]:
        self._files.invalidate_cache()
        # One listing of everything: a pattern would ask for each run's folder.
        found: list[str] = self._files.find(self._root)
        return {path.rsplit("/", 2)[-2] for path in found if path.endswith(f"/{SUMMARY}")}

    def summary(self, name: str) -> str:
        text: bytes = self._files.cat_file(f"{self._root}/{name}/{SUMMARY}")
        return text.decode("utf-8")

    def put(self, name: str, folder: Path) -> None:
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        for path in sorted(files, key=lambda path: path == folder / SUMMARY):
            place = f"{self._root}/{name}/{path.relative_to(folder).as_posix()}"
            # Nothing where folders are but names, as in S3.
            self._files.makedirs(place.rsplit("/", 1)[0], exist_ok=True)
            self._files.pipe_file(place, path.read_bytes())

    def remove(self, name: str) -> None:
        # First what makes it a run.
        self._files.rm_file(f"{self._root}/{name}/{SUMMARY}")
        self._files.rm(f"{self._root}/{name}", recursive=True)

    def clear(self, names: Iterable[str]) -> None:
        """An object is there as a whole or not at all."""

    def put_file(self, file: Path) -> None:
        self._files.pipe_file(f"{self._root}/{file.name}", file.read_bytes())

    def place(self, name: str) -> str:
        return f"{self._url}/{name}"
