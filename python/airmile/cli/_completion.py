"""Completion by the shell: click's scripts, and names of files where no word of ours fits."""

from __future__ import annotations

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
)

VARIABLE = "_AIRMILE_COMPLETE"
"""The script requests completions by setting it, as click has it for a program `airmile`."""


class _OrFiles(ShellComplete):
    """Most words of a command line are captures and datasets."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[str]]:
        """Return the words that fit, else let the shell offer files."""
        found = super().get_completions(args, incomplete)
        return found or [CompletionItem(incomplete, type="file")]


class _Bash(_OrFiles, BashComplete):
    pass


class _Zsh(_OrFiles, ZshComplete):
    pass


class _Fish(_OrFiles, FishComplete):
    pass


_OF_SHELLS: dict[str, type[ShellComplete]] = {"bash": _Bash, "zsh": _Zsh, "fish": _Fish}


def register() -> None:
    """Let click answer the shells by these classes."""
    for name, kind in _OF_SHELLS.items():
        add_completion_class(kind, name)


def script(shell: str, command: click.Command) -> str:
    """Return what a shell reads to complete `airmile`."""
    return _OF_SHELLS[shell](command, {}, "airmile", VARIABLE).source()
