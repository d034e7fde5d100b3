"""`airmile help`: print the text of `--help` of a subcommand."""

from __future__ import annotations

import difflib

import click

from airmile._errors import UsageError
from airmile.cli import _output


def _verbs(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    root = context.find_root().command
    names = root.commands if isinstance(root, click.Group) else ()
    return [name for name in names if name.startswith(incomplete)]


@click.command("help")
@click.argument("verb", nargs=-1, metavar="[VERB]...", shell_complete=_verbs)
@click.pass_context
def help_(context: click.Context, verb: tuple[str, ...]) -> None:
    """Show the help of a subcommand (VERB), or the list of subcommands.

    Examples: airmile help analyze; airmile help testbed run
    """
    found = context.find_root()
    for word in verb:
        found = _below(found, word)
    _output.say(found.get_help())


def _below(context: click.Context, word: str) -> click.Context:
    """Return the context of a subcommand within a group."""
    group = context.command
    names = list(group.commands) if isinstance(group, click.Group) else []
    command = group.commands.get(word) if isinstance(group, click.Group) else None
    if command is None:
        near = difflib.get_close_matches(word, names, n=1)
        known = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
        path = context.command_path
        raise UsageError(
            f"{path} has no verb {word!r}", known if names else f"`{path} --help` is all"
        )
    return click.Context(command, parent=context, info_name=word)
