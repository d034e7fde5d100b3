"""Output of `airmile study`: to the terminal, a folder, or an HTML page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from airmile._errors import OutputError, UsageError
from airmile._words import quoted
from airmile.cli import _output
from airmile.store import _files

if TYPE_CHECKING:
    from airmile.store._needs import Missing
    from airmile.study import Exhibit
    from airmile.study._several import Result


def draw(result: Result, out: Path) -> None:
    """Write the picture of a figure."""
    figure = result.figure()
    if figure is not None:
        with _files.whole(out) as part:
            figure.savefig(part)
        _output.note(f"picture: {out}")


def paper(found: Iterable[Result]) -> list[Result]:
    """Print the results of a paper as they are made, their notes, what is missing; return them."""
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
    return results


def check(made: dict[str, list[Result]]) -> None:
    """Raise an error if the data gave no figure or table of any paper.

    Raises
    ------
    UsageError
        The data gave none; the error has the reason that most of them share.
    """
    results = [result for each in made.values() for result in each]
    if any(result.tables for result in results):
        return
    why = _commonest([why for result in results for why in result.missing.values()])
    whose = "its" if len(made) == 1 else "their"
    raise UsageError(f"{', '.join(made)}: none of {whose} figures; {why.message}", why.hint)


def _commonest(reasons: list[Missing]) -> Missing:
    """Return the reason that most figures share; the first of several such reasons."""
    shared = Counter(reason.message for reason in reasons)
    return max(reasons, key=lambda reason: shared[reason.message])


def keep(results: Iterable[Result], out: Path) -> None:
    """Write tables and pictures of the results into a folder, if the data gave any."""
    given = [result for result in results if result.tables]
    for result in given:
        _keep(result, out)
    if given:
        _output.note(f"pictures and tables: {out}")


def _keep(result: Result, folder: Path) -> None:
    """Write the tables and pictures of a result into a folder."""
    from airmile.render import tables

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise OutputError(f"-o {folder} is a file", "name a folder") from None
    for label, table in result.tables.items():
        stem = result.exhibit.name + (f"-{_in_name(label)}" if result.several else "")
        with _files.whole(folder / f"{stem}.csv") as part, part.open("wb") as file:
            tables.write(table, "csv", file)
    figure = result.figure()
    if figure is not None:
        with _files.whole(folder / f"{result.exhibit.name}.png") as part:
            figure.savefig(part)


def _in_name(label: str) -> str:
    """Return a label in characters that a file name may have."""
    return "".join(each if each.isalnum() or each in "-_." else "_" for each in label)


def _relative(path: Path) -> Path:
    """Return the path from the current folder, or only its name where it lies elsewhere."""
    if not path.is_absolute():
        return path
    inside = path.is_relative_to(Path.cwd())
    return path.relative_to(Path.cwd()) if inside else Path(path.name)


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
    commands = [quoted(_relative(path)) for path in labelled.values()]
    text = study_page.page(papers, datasets, commands, options)
    try:
        with _files.whole(file) as part:
            part.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"--page {file}: {error.strerror}", "name a file") from None
    for name, results in made.items():
        given = [each.exhibit.name for each in results if each.tables]
        named = f": {', '.join(given)}" if given else ""
        _output.say(f"{name}: {len(given)} of {len(results)} exhibits{named}")
    _output.note(f"page: {file}")
