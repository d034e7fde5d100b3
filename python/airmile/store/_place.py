"""Checks of the path to which a dataset is written, so that nothing is lost by accident."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from airmile._errors import InputError, UsageError, engine_errors
from airmile._words import quoted
from airmile.store import _json, _scratch

HEAD_BYTES = 1 << 20
"""How many bytes of an input are read to recognise it; they include the first packets."""

MOST_LOOKED_AT = 8
"""The most inputs that are checked: among more, one will be a capture."""


def check(
    target: Path, *, overwrite: bool, captures: Sequence[str] = (), logs: Sequence[str] = ()
) -> None:
    """Raise an error if a path exists, unless it is to be overwritten.

    If no input can be read, that error is raised first.

    Raises
    ------
    InputError
        None of the captures, or none of the logs, can be read.
    UsageError
        The path exists.
    """
    if overwrite or not target.exists():
        return
    from airmile import _engine

    _look(captures, lambda heads, out: _engine.analyze(heads, out, False, {}, None))
    _look(logs, lambda heads, out: _engine.radio(heads, out, False, {}, None))
    captures, logs = _inputs(target)
    raise UsageError(f"{target} exists{_content([*captures, *logs])}", _advice(target, captures))


def named(target: Path, place: Path) -> Path:
    """Return where a dataset was put, as the user named it; a partial one is beside `target`."""
    if place.name == target.resolve().name:
        return target
    beside = target.with_name(place.name)
    return beside if beside.exists() and beside.samefile(place) else place


def _look(inputs: Sequence[str], run: Callable[[list[str], str], Path]) -> None:
    """Let the engine read the beginnings of files; pipes and folders are not read."""
    if not 0 < len(inputs) <= MOST_LOOKED_AT or not all(_is_file(each) for each in inputs):
        return
    with _scratch.folder() as scratch:
        try:
            heads = [str(_head(Path(each), scratch / str(at))) for at, each in enumerate(inputs)]
        except OSError:
            # The disk has no room for the copies, and whole captures take too long to read.
            return
        try:
            with engine_errors():
                run(heads, str(scratch / "heads.airmile"))
        except UsageError:
            # Captures of the same traffic are refused when they are analysed.
            return
        except InputError as error:
            raise InputError(_renamed(error.message, heads, inputs), error.hint) from None


def _is_file(name: str) -> bool:
    """Return whether a name means one file, even one that does not exist."""
    path = Path(name)
    pattern = any(sign in name for sign in "*?[")
    return path.is_file() or not (name == "-" or pattern or path.exists())


def _head(file: Path, folder: Path) -> Path:
    """Copy the beginning of a file under the same name, which may show its format.

    Raises
    ------
    OSError
        The disk has no room for the copy.
    """
    try:
        with file.open("rb") as source:
            content = source.read(HEAD_BYTES)
    except OSError:
        # The engine will report why the file cannot be opened.
        return file
    folder.mkdir()
    head = folder / file.name
    head.write_bytes(content)
    return head


def _renamed(message: str, heads: Sequence[str], inputs: Sequence[str]) -> str:
    for head, given in zip(heads, inputs, strict=True):
        message = message.replace(head, given)
    return message


def _inputs(target: Path) -> tuple[list[str], list[str]]:
    """Return the captures and the logs of a dataset; none if they are unknown."""
    try:
        _, manifest = _json.read(target / "manifest.json", "")
        lists = (manifest["inputs"], manifest.get("modem", []))
        captures, logs = ([str(each["name"]) for each in inputs] for inputs in lists)
    except (InputError, KeyError, TypeError):
        return [], []
    return captures, logs


def _content(names: Sequence[str]) -> str:
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f": the tables of {names[0]}{more}" if names else ""


def _advice(target: Path, captures: Sequence[str]) -> str:
    """Return what to do about a taken path; only a dataset can be replaced, and give its answer."""
    again = f"print the answer of these tables: airmile {quoted(str(target))}; " if captures else ""
    numbered = (target.with_name(f"{target.stem}-{n}{target.suffix}") for n in range(2, 1000))
    free = next((each for each in numbered if not each.exists()), "NAME")
    replace = "; or replace it: add --overwrite" if (target / "manifest.json").exists() else ""
    return f"{again}keep both: add -o {quoted(str(free))}{replace}"
