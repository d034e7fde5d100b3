"""The compiled engine: one pass over captures, rows into a dataset directory."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

Progress = Callable[[int, int | None, int], bool | None]
Option = str | int | float | bool | list[str]
Order = tuple[bool, int | None, int | None]

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

class ModemStream:
    """The log of a modem that is being followed."""

    def __init__(self, path: str, options: dict[str, Option]) -> None: ...
    def read(self, timeout_s: float, silent_s: float = 0.0) -> str | None: ...
    def report(self) -> str: ...

def analyze(
    inputs: list[str],
    out: str,
    overwrite: bool,
    options: dict[str, Option],
    progress: Progress | None,
    rrc: Callable[[bool, bytes], Order | None] | None = None,
    check: Callable[[str], str | None] | None = None,
) -> Path: ...
def radio(
    logs: list[str],
    out: str,
    overwrite: bool,
    options: dict[str, Option],
    progress: Progress | None,
    rrc: Callable[[bool, bytes], Order | None] | None = None,
    check: Callable[[str], str | None] | None = None,
) -> Path: ...
def put(folder: str, target: str, overwrite: bool) -> Path: ...
def recover(target: str) -> bool: ...
def info(inputs: list[str]) -> str: ...
def trace(inputs: list[str], uids: list[int], options: dict[str, Option]) -> dict[int, Any]: ...
def align(
    first: list[str],
    second: list[str],
    options: dict[str, Option],
    progress: Progress | None,
) -> tuple[Any, Any, Any, str]: ...
def schema() -> str: ...
def modem_formats() -> str: ...
def present_parameter(name: str) -> str: ...
def judge_log(question: str) -> str: ...
def how_sure(named_ns: str) -> str: ...
def digest_file(path: str) -> tuple[int, str]: ...
def free_locks_prove(path: str) -> bool: ...
def seal(manifest: str) -> str: ...
def is_sealed(manifest: str) -> bool | None: ...
def link_check(config: str) -> str: ...
def link_download(
    config: str, bytes: int, longest_s: int
) -> tuple[float | None, int, float | None]: ...
def link_replay(
    config: str, arrivals: list[tuple[int, str, int, int]], ttis: int, forward: bool
) -> tuple[Any, Any, Any]: ...
def link_run(
    config: str,
    devices: list[tuple[str, str]],
    out: str,
    longest_s: float,
    opened: Callable[[], None],
    going: Callable[[], bool],
    timestamp_tick_ns: int | None = None,
) -> str: ...
def link_recorded(
    capture: str,
    out: str,
    phone: list[int],
    tick_ns: int | None,
    clock: tuple[int, float, int, int] | None,
) -> int: ...

__profile__: str
"""The cargo profile that it was built with: release, or dist in a wheel."""
