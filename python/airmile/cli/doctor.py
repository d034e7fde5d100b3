"""`airmile doctor`: is this machine fit, and what is wrong with a capture."""

from __future__ import annotations

from pathlib import Path

import click

from airmile._errors import InputError
from airmile.cli import _answer, _exit_codes, _output, _progress
from airmile.cli._exit_codes import PARTLY_FAILED
from airmile.cli._options import option
from airmile.doctor import Finding
from airmile.store import _scratch


@click.command()
@click.argument("file", required=False, type=Path)
@option("format", type=click.Choice(("text", "json")), help="Format of the answer.")
@option("quiet", help="No progress.")
def doctor(file: Path | None, form: str, quiet: bool) -> int:
    """Say what is installed and allowed on this machine, and what is wrong with a FILE.

    Of a capture: snap length, offloads, drops, a missing direction, clock steps, missing
    handshakes, and what to do about each; of a modem's log what was not understood, and which
    self-checks failed.

    Exit codes: 0 no error was found; 1 the capture is damaged or holds no TCP; 2 usage; 3 it
    cannot be read; 5 this machine lacks something.
    """
    from airmile.doctor import machine

    blocks = {"Machine": list(machine.findings())}
    code = 0
    if file is not None and not _any(blocks["Machine"], "airmile"):
        title, found, code = _file(file, quiet)
        blocks[title] = found
    _show(blocks, form)
    if _any(blocks["Machine"]):
        return _output.ENVIRONMENT
    return code


def _file(file: Path, quiet: bool) -> tuple[str, list[Finding], int]:
    """Look at a capture, or at the log of a modem where it is one."""
    found, code = _capture(file, quiet)
    if code == InputError.exit_code and (log := _log(file, quiet)):
        return "Log", log, PARTLY_FAILED if _any(log) else 0
    return "Capture", found, code


def _log(file: Path, quiet: bool) -> list[Finding]:
    """Read the log of a modem; nothing where the file is no such log."""
    import airmile
    from airmile.doctor import modem

    with _scratch.folder() as scratch:
        try:
            with _progress.shown(not quiet) as progress:
                dataset = airmile.radio(file, out=scratch / "x.airmile", progress=progress)
        except InputError:
            return []
        return list(modem.findings(dataset))


def _capture(file: Path, quiet: bool) -> tuple[list[Finding], int]:
    """Analyse the capture into a temporary folder, and yield what is wrong with it."""
    import airmile
    from airmile.doctor import capture

    with _scratch.folder() as scratch:
        try:
            with _progress.shown(not quiet) as progress:
                dataset = airmile.analyze(file, out=scratch / "x.airmile", progress=progress)
        except InputError as error:
            return [Finding("file", "error", error.message, error.hint)], error.exit_code
        found = list(capture.findings(dataset))
    return found, _exit_codes.of(dataset) or (PARTLY_FAILED if _any(found) else 0)


def _any(found: list[Finding], topic: str | None = None) -> bool:
    """Return whether a finding is an error."""
    return any(f.status == "error" for f in found if topic is None or f.topic == topic)


def _show(blocks: dict[str, list[Finding]], form: str) -> None:
    from airmile.render import doctor as text
    from airmile.render.json import written

    document = {
        title.lower(): [finding.to_dict() for finding in found] for title, found in blocks.items()
    }
    _answer.show(
        form,
        text=lambda: text.render(blocks.items(), _output.width()),
        json=lambda: written(document).replace("\u00a0", " "),
    )
