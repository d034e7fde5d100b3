"""Shell completion: click's scripts, extended by file names where no word matches."""

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
"""The variable that the script sets to request completions; click derives its name."""


class _OrFiles(ShellComplete):
    """Completion that offers files too, because most arguments are captures and datasets."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[str]]:
        """Return the matching words, or let the shell complete file names if there are none."""
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
    """Make click use these classes for completion."""
    for name, kind in _OF_SHELLS.items():
        add_completion_class(kind, name)


def script(shell: str, command: click.Command) -> str:
    """Return the shell script that completes `airmile`."""
    return _OF_SHELLS[shell](command, {}, "airmile", VARIABLE).source()
