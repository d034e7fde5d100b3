"""The group of verbs, in which a capture in the place of a verb means `analyze`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, MutableMapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from airmile._errors import UsageError


class ClosedPipe(Exception):  # noqa: N818  # no error: the reader has seen enough
    """The reader of the output has closed it."""


class Commands(MutableMapping[str, click.Command]):
    """The verbs by name; each is imported when it is looked up, from the module of its name."""

    def __init__(self, names: Sequence[str]) -> None:
        self._found: dict[str, click.Command | None] = dict.fromkeys(names)

    def __getitem__(self, name: str) -> click.Command:
        found = self._found[name]
        if found is None:
            module = import_module(f"airmile.cli.{name}")
            # `help_`, lest it hide a function of Python.
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
    """Verbs whose summaries are whole in the help: what is too wide continues in the next line."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each verb with the first sentence of its help, which click would cut."""
        rows = [(name, _summary(self.commands[name])) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _summary(command: click.Command) -> str:
    return command.get_short_help_str(limit=sys.maxsize)


_OWN_OPTIONS = ("-h", "--help", "-V", "--version")


class Verbs(Listed):
    """Verbs in the order in which they were added; `analyze` where none is named."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Keep the order of the list, which is that of use."""
        return list(self.commands)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `analyze` before a capture or an option of `analyze`."""
        if args and args[0] not in self.commands and args[0] not in _OWN_OPTIONS:
            if not ctx.resilient_parsing:  # the shell requests completions
                self._refuse_mistyped(args[0])
            args = ["analyze", *args]
        return super().parse_args(ctx, args)

    def _refuse_mistyped(self, word: str) -> None:
        """Offer the verb that a word resembles, if the word can be no capture."""
        plain = word.replace("-", "").replace("_", "").isalpha()
        import difflib

        near = difflib.get_close_matches(word, self.commands, n=1) if plain else []
        if near and not Path(word).exists():
            raise UsageError(
                f"no verb and no capture {word!r}", f"did you mean `airmile {near[0]}`?"
            )

    def invoke(self, ctx: click.Context) -> Any:
        """Raise an exception of our own for a closed pipe: click would make it exit code 1."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise ClosedPipe from None
