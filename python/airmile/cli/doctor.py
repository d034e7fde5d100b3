"""`airmile doctor`: checks of this machine, a capture, or a modem's log."""

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

    FILE is a capture or a modem log. For a capture, the command reports snap length, offloads,
    drops, a missing direction, clock steps and missing handshakes, and what to do about each. For a
    modem log, it reports records that it cannot decode, and self-checks that failed.

    Exit codes: 0 no error was found; 1 the capture is damaged or holds no TCP; 2 usage; 3 FILE
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
    """Check a capture or a modem log; return the kind of file, its findings and the exit code."""
    found, code = _capture(file, quiet)
    if code == InputError.exit_code and (log := _log(file, quiet)):
        return "Log", log, PARTLY_FAILED if _any(log) else 0
    return "Capture", found, code


def _log(file: Path, quiet: bool) -> list[Finding]:
    """Return the findings about a modem log; an empty list if the file is not a modem log."""
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
    """Analyse a capture in a temporary folder; return the findings and the exit code."""
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
    """Return whether one of the findings (of `topic`, if given) is an error."""
    return any(f.status == "error" for f in found if topic is None or f.topic == topic)


def _show(blocks: dict[str, list[Finding]], form: str) -> None:
    from airmile.render import doctor as text
    from airmile.render.json import written

    document = {
        title.lower(): [finding.to_dict() for finding in found] for title, found in blocks.items()
    }
    _answer.show(
        form,
        text=lambda: text.render(_leftovers_last(blocks).items(), _output.width()),
        json=lambda: written(document).replace("\u00a0", " "),
    )


def _leftovers_last(blocks: dict[str, list[Finding]]) -> dict[str, list[Finding]]:
    """Return the findings as a person reads them, who asked about a machine or a FILE.

    Remains of other runs, which may be many, stand below all that was asked for.
    """
    from airmile.doctor.leftovers import TOPIC

    asked = {
        title: [finding for finding in found if finding.topic != TOPIC]
        for title, found in blocks.items()
    }
    left = [finding for finding in blocks["Machine"] if finding.topic == TOPIC]
    return {**asked, "Leftovers": left}
