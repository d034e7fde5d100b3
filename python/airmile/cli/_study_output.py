"""Output of `airmile study`: to the terminal, a folder, or an HTML page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from airmile._errors import OutputError, UsageError
from airmile._words import quoted
from airmile.cli import _output

if TYPE_CHECKING:
    from airmile.store._needs import Missing
    from airmile.study import Exhibit
    from airmile.study._several import Result


def draw(result: Result, out: Path) -> None:
    """Write the picture of a figure."""
    figure = result.figure()
    if figure is not None:
        figure.savefig(out)
        _output.note(f"picture: {out}")


def paper(name: str, found: Iterable[Result], out: Path | None, *, alone: bool) -> None:
    """Print the figures and tables of a paper as they are made, their notes, and what is missing.

    Raises
    ------
    UsageError
        `alone` is set and the data give none of the figures.
    """
    from airmile.render import study as words

    notes: list[str] = []
    results: list[Result] = []
    for result in found:
        results.append(result)
        if result.tables:
            _output.say("\n" + words.result(result))
            notes += result.notes
    missing = [(each.exhibit, why) for each in results for why in each.missing.values()]
    if notes:
        _output.say("\n" + words.notes(notes, _output.width()))
    if missing:
        _output.say("\n" + words.lacking(missing, _output.width()))
    if alone and not any(each.tables for each in results):
        why = _commonest([why for _, why in missing])
        raise UsageError(f"{name}: none of its figures; {why.message}", why.hint)
    keep(results, out)


def _commonest(reasons: list[Missing]) -> Missing:
    """Return the reason that most figures share; the first of several such reasons."""
    shared = Counter(reason.message for reason in reasons)
    return max(reasons, key=lambda reason: shared[reason.message])


def keep(results: Iterable[Result], out: Path | None) -> None:
    """Write tables and pictures of the results into a folder, if there is one."""
    if out is None:
        return
    for result in results:
        if result.tables:
            _keep(result, out)
    _output.note(f"pictures and tables: {out}")


def _keep(result: Result, folder: Path) -> None:
    """Write the tables and pictures of a result into a folder."""
    from airmile.render import tables

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise OutputError(f"-o {folder} is a file", "name a folder") from None
    several = len(result.tables) > 1
    for label, table in result.tables.items():
        stem = result.exhibit.name + (f"-{_in_name(label)}" if several else "")
        with (folder / f"{stem}.csv").open("wb") as file:
            tables.write(table, "csv", file)
    figure = result.figure()
    if figure is not None:
        figure.savefig(folder / f"{result.exhibit.name}.png")


def _in_name(label: str) -> str:
    """Return a label in characters that a file name may have."""
    return "".join(each if each.isalnum() or each in "-_." else "_" for each in label)


def page(
    file: Path,
    made: dict[str, list[Result]],
    labelled: dict[str, Path],
    options: Callable[[Exhibit], str],
) -> None:
    """Write the page of all figures and tables, and say how many of them the data gave."""
    import airmile
    from airmile.render import study_page
    from airmile.study import PAPERS

    papers = [study_page.Paper(name, PAPERS[name], results) for name, results in made.items()]
    datasets = {
        label: airmile.open(path) if path.is_dir() else str(path)
        for label, path in labelled.items()
    }
    commands = [quoted(path) for path in labelled.values()]
    text = study_page.page(papers, datasets, commands, options)
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"--page {file}: {error.strerror}", "name a file") from None
    for name, results in made.items():
        given = sum(bool(each.tables) for each in results)
        _output.say(f"{name}: {given} of {len(results)} exhibits")
    _output.note(f"page: {file}")
