"""The compiled engine: one pass over captures, rows into a dataset directory."""

from collections.abc import Callable

Option = str | int | float | bool | list[str]

class UsageError(Exception):
    """An option is wrong."""

    message: str
    hint: str | None

class InputError(Exception):
    """Nothing of the input could be read."""

    message: str
    hint: str | None

class OutputError(Exception):
    """The dataset could not be written."""

    message: str
    hint: str | None

def analyze(
    inputs: list[str],
    out: str,
    overwrite: bool,
    options: dict[str, Option],
    progress: Callable[[int, int | None, int], None] | None,
) -> str: ...
def info(inputs: list[str]) -> str: ...
def schema() -> str: ...
