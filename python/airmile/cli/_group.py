"""The group of subcommands (verbs); a capture in place of a subcommand means `analyze`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, MutableMapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from airmile._errors import UsageError


class ClosedPipe(Exception):  # noqa: N818  # not an error: the reader needs no more output
    """The reader of the output closed the pipe."""


class Commands(MutableMapping[str, click.Command]):
    """The subcommands by name; each is imported, from the module of its name, on first use."""

    def __init__(self, names: Sequence[str]) -> None:
        self._found: dict[str, click.Command | None] = dict.fromkeys(names)

    def __getitem__(self, name: str) -> click.Command:
        found = self._found[name]
        if found is None:
            module = import_module(f"airmile.cli.{name}")
            # A trailing underscore, as in `help_`, avoids hiding a built-in function.
            found = self._found[name] = getattr(module, f"{name}_", None) or getattr(module, name)
        return found

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._found[name] = command

    def __delitem__(self, name: str) -> None:
        del self._found[name]

    def __contains__(self, name: object) -> bool:
        return name in self._found

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


class Listed(click.Group):
    """A group whose help wraps the summaries of its subcommands instead of cutting them."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each subcommand with the first sentence of its help, which click would cut."""
        rows = [(name, _summary(self.commands[name])) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _summary(command: click.Command) -> str:
    return command.get_short_help_str(limit=sys.maxsize)


_OWN_OPTIONS = ("-h", "--help", "-V", "--version")


class Verbs(Listed):
    """Subcommands in the order in which they were added; `analyze` is the default."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the subcommands in the order in which they were added."""
        return list(self.commands)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `analyze` before a capture or an option of `analyze`."""
        if args and args[0] not in self.commands and args[0] not in _OWN_OPTIONS:
            if not ctx.resilient_parsing:  # the shell requests completions
                self._refuse_mistyped(args[0])
            args = ["analyze", *args]
        return super().parse_args(ctx, args)

    def _refuse_mistyped(self, word: str) -> None:
        """Raise an error that proposes a similar subcommand, if the word cannot be a capture."""
        plain = word.replace("-", "").replace("_", "").isalpha()
        import difflib

        near = difflib.get_close_matches(word, self.commands, n=1) if plain else []
        if near and not Path(word).exists():
            raise UsageError(
                f"{word!r} is neither a verb nor a capture", f"did you mean `airmile {near[0]}`?"
            )

    def invoke(self, ctx: click.Context) -> Any:
        """Raise `ClosedPipe` for a closed pipe, because click would exit with code 1."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise ClosedPipe from None
