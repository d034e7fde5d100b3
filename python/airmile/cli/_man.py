"""The manual page, in the format man(7), made from the help of the subcommands."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import click

EXIT_CODES = {
    "0": "Done.",
    "1": "Done, but a part of the input could not be read; a cut file is analysed up to the cut.",
    "2": "The command line is wrong.",
    "3": "Nothing is readable: no capture, or a capture without packets.",
    "4": "A --fail-if condition holds.",
    "5": "The environment refuses: no space, no permission, something is not installed.",
    "130": "Interrupted; the finished part is kept and marked as incomplete.",
}

ENVIRONMENT = {
    "NO_COLOR": "If set and not empty, the output has no colour (https://no-color.org).",
    "TMPDIR": "Folder for temporary tables and for data that does not fit into memory.",
}


_AS_IT_IS = "\b\n"
"""The first line of a paragraph that click must not wrap."""


def page(root: click.Group, version: str) -> str:
    """Return the page as roff."""
    with click.Context(root, info_name="airmile") as context:
        lines = [
            f'.TH AIRMILE 1 "" "airmile {version}" "User Commands"',
            ".SH NAME",
            f"airmile \\- {_text(_summary(root))}",
            ".SH SYNOPSIS",
            f"\\fBairmile\\fR {_text(' '.join(root.collect_usage_pieces(context)))}",
            ".SH DESCRIPTION",
            *_described(root),
            ".SH OPTIONS",
            *_options(root, context),
            ".SH COMMANDS",
            *_commands(root, context),
            *_listed("EXIT STATUS", EXIT_CODES),
            *_listed("ENVIRONMENT", ENVIRONMENT),
        ]
    return "\n".join(lines) + "\n"


def _commands(group: click.Group, context: click.Context) -> Iterator[str]:
    """Describe every subcommand; those of a nested group follow the group."""
    for name in group.list_commands(context):
        command = group.commands[name]
        with click.Context(command, info_name=name, parent=context) as inner:
            usage = " ".join(command.collect_usage_pieces(inner))
            yield f".SS {_text(inner.command_path)} {_text(usage)}"
            yield from _described(command)
            yield from _options(command, inner)
            if isinstance(command, click.Group):
                yield from _commands(command, inner)


def _summary(command: click.Command) -> str:
    first = inspect.cleandoc(command.help or "").split("\n\n")[0]
    return first[:1].lower() + first[1:].rstrip(".")


def _described(command: click.Command) -> Iterator[str]:
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        yield ".PP"
        if paragraph.startswith(_AS_IT_IS):
            lines = paragraph.removeprefix(_AS_IT_IS).splitlines()
            yield from (".nf", *map(_text, lines), ".fi")
        else:
            yield _text(paragraph)


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if isinstance(parameter, click.Option) and record is not None:
            yield ".TP"
            yield f"\\fB{_text(record[0])}\\fR"
            yield _text(record[1])


def _listed(heading: str, entries: dict[str, str]) -> Iterator[str]:
    yield f".SH {heading}"
    for name, text in entries.items():
        yield from (".TP", f"\\fB{name}\\fR", _text(text))


def _text(plain: str) -> str:
    r"""Return a paragraph as one line of roff, without requests and with plain hyphens.

    >>> _text("`airmile x`\nand --help")
    '\\fBairmile x\\fR and \\-\\-help'
    """
    line = " ".join(plain.split()).replace("\\", "\\e").replace("-", "\\-")
    line = re.sub(r"`([^`]*)`", r"\\fB\1\\fR", line)
    return f"\\&{line}" if line.startswith((".", "'")) else line
