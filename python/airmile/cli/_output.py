"""Output: data to standard output, notes to standard error, errors as exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import click

from airmile import _signals, _streams
from airmile._errors import AirmileError, OutputError, UsageError
from airmile._words import printable, printable_lines
from airmile.cli._group import ClosedPipe

USAGE = 2
ENVIRONMENT = 5

_MORE_MEMORY = "end other programs, raise the limit (ulimit -v), or cut the input"


def guarded(command: Callable[[], Any]) -> int:
    """Run a command, print its error if there is one, and return the exit code."""
    try:
        _need_output()
        code = command()
        sys.stdout.flush()
    except AirmileError as error:
        complain(error.message, error.hint)
        return error.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return USAGE
    except click.UsageError as error:
        name = error.ctx.command_path if error.ctx else "airmile"
        complain(" ".join(error.format_message().split()), f"`{name} --help` lists what it takes")
        return USAGE
    except (KeyboardInterrupt, click.Abort) as error:
        return interrupted(error)
    except (BrokenPipeError, ClosedPipe):
        _streams.discard(sys.stdout)
        return 0
    except (MemoryError, ImportError) as error:
        if _signals.cause(error):
            return interrupted(error)
        return _refused(error)
    except OSError as error:
        complain(f"{error.filename or 'the system'}: {error.strerror or error}")
        return ENVIRONMENT
    return code if isinstance(code, int) else 0


def _refused(error: MemoryError | ImportError) -> int:
    """Print which resource of the machine is missing, and return the exit code."""
    if isinstance(error, MemoryError):
        complain(f"no memory: {error or 'the system gives no more'}", _MORE_MEMORY)
    else:
        complain(f"a part of airmile cannot be loaded: {error}", "`airmile doctor` looks at it")
    return ENVIRONMENT


def interrupted(error: BaseException, hint: str | None = None) -> int:
    """Print that a signal interrupted the program, and return the exit code."""
    said, code = _signals.described(error)
    complain(said, hint)
    return code


def complain(message: str, hint: str | None = None) -> None:
    """Print an error and, after a blank line, a hint that says what to do.

    Message and hint may contain names from untrusted input, so no other code prints a line that
    begins with "hint:".
    """
    try:
        _labelled("error", "red", message)
        if hint:
            click.echo(err=True)
            note(f"hint: {hint}")
    except OSError:
        # Standard error is closed, so only the exit code can report the error.
        _streams.discard(sys.stderr)


def warn(message: str) -> None:
    """Print a warning."""
    _labelled("warning", "yellow", message)


def note(text: str) -> None:
    """Print a line on standard error."""
    click.echo(printable(text), err=True)


def say(text: str, style: Callable[[str], str] | None = None) -> None:
    """Print text on standard output; control characters are escaped, except those of `style`."""
    shown, coloured = printable_lines(text), colour(sys.stdout)
    click.echo(style(shown) if style and coloured else shown, color=coloured)


def _labelled(label: str, shade: str, message: str) -> None:
    styled = click.style(label, fg=shade, bold=True)
    click.echo(f"{styled}: {printable(message)}", err=True, color=colour(sys.stderr))


def binary_out(form: str, binary: bool) -> IO[bytes]:
    """Return standard output as bytes; refuse to write binary data to a terminal."""
    if binary and sys.stdout.isatty():
        raise UsageError(
            f"--format {form} is binary and standard output is a terminal",
            f"send it to a file: ... --format {form} > out.{form}",
        )
    sys.stdout.flush()
    return sys.stdout.buffer


def warn_of_partial(place: Path, target: Path) -> None:
    """Print a warning if the dataset of a run was put beside its target, which holds more."""
    if place != target:
        warn(
            f"{target} holds more of the input that failed and stays as it was; the tables of this "
            f"run are in {place}"
        )


def _need_output() -> None:
    """Raise an error if standard output is closed."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123
        raise OutputError(
            "standard output is closed, so nobody would read the answer",
            "send it to a file, or to /dev/null",
        )


def colour(stream: IO[str]) -> bool:
    """Return whether to use colour: on a terminal, without NO_COLOR (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def terminal_width() -> int | None:
    """Return the terminal's width in columns; None without a terminal, or if it reports 0."""
    if not sys.stdout.isatty():
        return None
    return os.get_terminal_size(sys.stdout.fileno()).columns or None


def width() -> int:
    """Return the terminal's width in columns, or a fixed width without a terminal."""
    from airmile.render.layout import PLAIN_WIDTH

    return terminal_width() or PLAIN_WIDTH
