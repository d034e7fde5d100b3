"""What follows the exhibits of a paper on its page: the notes on them, and what the data lack."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from airmile._words import counted
from airmile.render.study_page_parts import notes_of, prose, text
from airmile.study._notes import together

if TYPE_CHECKING:
    from airmile.study._several import Result


def notes(study: str, results: Sequence[Result], of_inputs: Sequence[str]) -> str:
    """Return the notes on all exhibits, each once with the exhibits that it is about.

    Parameters
    ----------
    study : str
        Short name of the paper.
    results : sequence of Result
        Its exhibits.
    of_inputs : sequence of str
        The notes about the inputs, which hold for every exhibit.
    """
    about: dict[str, list[str]] = {}
    for result in results:
        for note in notes_of(result, of_inputs):
            about.setdefault(note, []).append(result.exhibit.name)
    groups: dict[tuple[str, ...], list[str]] = {}
    for note, names in about.items():
        groups.setdefault(tuple(names), []).append(note)
    items = [_group("Every exhibit", together(of_inputs))] if of_inputs else []
    items += [
        _group(", ".join(_link(study, name) for name in names), own)
        for names, own in groups.items()
    ]
    if not items:
        return ""
    return (
        f'<section id="{study}-notes"><h3>Notes</h3><ul class=notes>{"".join(items)}</ul></section>'
    )


def _group(head: str, notes: Sequence[str]) -> str:
    if len(notes) == 1:
        return f"<li><b>{head}:</b> {prose(notes[0])}.</li>"
    inner = "".join(f"<li>{prose(note)}.</li>" for note in notes)
    folded = f"<details><summary>{counted(len(notes), 'note')}</summary><ul>{inner}</ul></details>"
    return f"<li><b>{head}:</b> {folded}</li>"


def _link(study: str, name: str) -> str:
    return f'<a href="#{study}-{name}">{text(name)}</a>'


def lacking(study: str, results: Sequence[Result]) -> str:
    """Return what the data do not give, each reason once, in a list that unfolds."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for name, why, how in _missing(results):
        reasons.setdefault((why, how), []).append(name)
    if not reasons:
        return ""
    none = [each.exhibit.name for each in results if not each.tables]
    items = "".join(
        f"<li><b>{', '.join(map(text, names))}</b>: {prose(why)}.{how}</li>"
        for (why, how), names in reasons.items()
    )
    places = "".join(f'<span id="{study}-{name}"></span>' for name in none)
    head = f"Not from these data: {', '.join(none)}" if none else "Not from every dataset"
    return (
        f'<section id="{study}-lacking">{places}<details class=lacking>'
        f"<summary>{text(head)}</summary><ul>{items}</ul></details></section>"
    )


def _missing(results: Sequence[Result]) -> Iterator[tuple[str, str, str]]:
    """Yield exhibit, reason and hint of what is missing; the label where others have it."""
    for result in results:
        for label, missing in result.missing.items():
            name = result.exhibit.name + (f" of {label}" if result.tables else "")
            hint = missing.hint or ""
            how = f" {prose(hint[:1].upper() + hint[1:])}." if hint else ""
            yield name, missing.message.split(": ", 1)[-1], how
