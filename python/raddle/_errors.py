"""What is wrong with a scenario."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Problem:
    """One mistake. `line` and `column` count from 1; what is not known is `None`."""

    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    key: str | None = None
    """The dotted key of the scenario that is to blame."""
    nearest: str | None = None
    """The valid word that is nearest to the one typed."""
    label: str | None = None
    help: list[str] = field(default_factory=list)


class ScenarioError(ValueError):
    """A scenario that cannot be run; nothing was run. `problems` lists every mistake."""

    problems: list[Problem]

    def __init__(self, message: str, problems: list[Problem]) -> None:
        super().__init__(message)
        self.problems = problems

    def __reduce__(self) -> tuple[type[ScenarioError], tuple[str, list[Problem]]]:
        return type(self), (str(self), self.problems)
