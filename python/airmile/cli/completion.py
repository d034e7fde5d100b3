"""`airmile completion`: the shell script that completes subcommands, options and values."""

from __future__ import annotations

import click

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script with which a shell completes subcommands, options, values and file names.

    \b
    Bash (4.4 or newer):
      airmile completion bash > ~/.local/share/bash-completion/completions/airmile
    Zsh, into a folder of your fpath:
      airmile completion zsh > ~/.zfunc/_airmile
    Fish:
      airmile completion fish > ~/.config/fish/completions/airmile.fish
    """  # noqa: D301  # \b marks a paragraph that click must not wrap
    from airmile.cli import _completion

    click.echo(_completion.script(shell, context.find_root().command), nl=False)
