"""`airmile man`: the manual page."""

from __future__ import annotations

from importlib.metadata import version

import click


@click.command()
@click.pass_context
def man(context: click.Context) -> None:
    """Print the manual page, for man(1).

    \b
    To read it:
      airmile man | man -l -
    To keep it, for `man airmile`:
      airmile man > ~/.local/share/man/man1/airmile.1
    """  # noqa: D301  # \b marks a paragraph that click must not wrap
    from airmile.cli import _man

    root = context.find_root().command
    if isinstance(root, click.Group):
        click.echo(_man.page(root, version("airmile")), nl=False)
