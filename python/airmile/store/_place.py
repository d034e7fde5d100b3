"""The place of a dataset that is to be written: what is there already is not lost by accident."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from airmile._errors import InputError, UsageError, engine_errors
from airmile._words import quoted
from airmile.store import _json, _scratch

HEAD_BYTES = 1 << 20
"""What is read of an input to see what it is; it holds the first packets of any capture."""

MOST_LOOKED_AT = 8
"""Where there are more inputs, one of them will be a capture."""


def check(
    target: Path, *, overwrite: bool, captures: Sequence[str] = (), logs: Sequence[str] = ()
) -> None:
    """Refuse a place where something is, unless that is to be replaced.

    Inputs that cannot be read are refused first: the place does not matter then.

    Raises
    ------
    InputError
        Nothing of the captures, or nothing of the logs, can be read.
    UsageError
        Something is there.
    """
    if overwrite or not target.exists():
        return
    from airmile import _engine

    _look(captures, lambda heads, out: _engine.analyze(heads, out, False, {}, None))
    _look(logs, lambda heads, out: _engine.radio(heads, out, False, {}, None))
    raise UsageError(f"{target} exists{_content(target)}", _advice(target))


def _look(inputs: Sequence[str], run: Callable[[list[str], str], str]) -> None:
    """Let the engine read the beginnings of files; pipes give theirs once, folders hold many."""
    if not 0 < len(inputs) <= MOST_LOOKED_AT or not all(_is_file(each) for each in inputs):
        return
    with _scratch.folder() as scratch:
        try:
            heads = [str(_head(Path(each), scratch / str(at))) for at, each in enumerate(inputs)]
        except OSError:
            # No room for them. The captures themselves may be large, and are not read for this.
            return
        try:
            with engine_errors():
                run(heads, str(scratch / "heads.airmile"))
        except InputError as error:
            raise InputError(_renamed(error.message, heads, inputs), error.hint) from None


def _is_file(name: str) -> bool:
    """Return whether a name means one file, be it there or not."""
    path = Path(name)
    pattern = any(sign in name for sign in "*?[")
    return path.is_file() or not (name == "-" or pattern or path.exists())


def _head(file: Path, folder: Path) -> Path:
    """Copy the beginning of a file under its own name, which may show its format.

    Raises
    ------
    OSError
        There is no room for it.
    """
    try:
        with file.open("rb") as source:
            content = source.read(HEAD_BYTES)
    except OSError:
        # Why it cannot be opened, the engine says.
        return file
    folder.mkdir()
    head = folder / file.name
    head.write_bytes(content)
    return head


def _renamed(message: str, heads: Sequence[str], inputs: Sequence[str]) -> str:
    for head, given in zip(heads, inputs, strict=True):
        message = message.replace(head, given)
    return message


def _content(target: Path) -> str:
    """Say of what a dataset is, where it says so."""
    try:
        _, manifest = _json.read(target / "manifest.json", "")
        names = [str(each["name"]) for each in [*manifest["inputs"], *manifest.get("modem", [])]]
    except (InputError, KeyError, TypeError):
        return ""
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f": the tables of {names[0]}{more}" if names else ""


def _advice(target: Path) -> str:
    numbered = (target.with_name(f"{target.stem}-{n}{target.suffix}") for n in range(2, 1000))
    free = next((each for each in numbered if not each.exists()), "NAME")
    return f"keep both: add -o {quoted(str(free))}; or replace it: add --overwrite"
