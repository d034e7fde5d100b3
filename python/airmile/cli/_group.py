"""The group of verbs, in which a capture in the place of a verb means `analyze`."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

import click

from airmile._errors import UsageError


class ClosedPipe(Exception):  # noqa: N818  # no error: the reader has seen enough
    """Whoever read the output has closed it."""


_OWN_OPTIONS = ("-h", "--help", "-V", "--version")


class Verbs(click.Group):
    """Verbs in the order in which they were added; `analyze` where none is named."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Keep the order of the list, which is that of use."""
        return list(self.commands)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `analyze` before a capture or an option of `analyze`."""
        if args and args[0] not in self.commands and args[0] not in _OWN_OPTIONS:
            if not ctx.resilient_parsing:  # the shell asks for completions
                self._refuse_mistyped(args[0])
            args = ["analyze", *args]
        return super().parse_args(ctx, args)

    def _refuse_mistyped(self, word: str) -> None:
        """Offer the verb that a word resembles, if the word can be no capture."""
        plain = word.replace("-", "").replace("_", "").isalpha()
        near = difflib.get_close_matches(word, self.commands, n=1) if plain else []
        if near and not Path(word).exists():
            raise UsageError(
                f"no verb and no capture {word!r}", f"did you mean `airmile {near[0]}`?"
            )

    def invoke(self, ctx: click.Context) -> Any:
        """Give a closed pipe a name of its own: click would make it exit code 1."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise ClosedPipe from None
