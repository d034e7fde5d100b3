"""`airmile completion`: the shell script that completes verbs, options and values."""

from __future__ import annotations

import click

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that lets a shell complete verbs, options, values and names of files.

    \b
    Bash (4.4 or newer):
      airmile completion bash > ~/.local/share/bash-completion/completions/airmile
    Zsh, into a folder of its fpath:
      airmile completion zsh > ~/.zfunc/_airmile
    Fish:
      airmile completion fish > ~/.config/fish/completions/airmile.fish
    """  # noqa: D301  # click takes \b for what is not to be wrapped
    from airmile.cli import _completion

    click.echo(_completion.script(shell, context.find_root().command), nl=False)
