"""Answers as Python gives them to its user: values, with the text that the command line prints.

An answer computes values and knows no text; `render` writes values in words. They meet here, above
both.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cached_property
from typing import Any, TypeVar

from airmile.answers.pair.result import AlignmentValues
from airmile.answers.radio.findings import RadioValues
from airmile.answers.verdict._judge import VerdictValues

Printed = TypeVar("Printed")


def printed(kind: type[Printed], values: Any) -> Printed:
    """Return the values of an answer as an object that prints itself."""
    return kind(**{each.name: getattr(values, each.name) for each in fields(values)})


class Verdict(VerdictValues):  # noqa: D101  # its values describe it
    __doc__ = VerdictValues.__doc__

    @cached_property
    def small_calls(self) -> Verdict | None:
        """The verdict of the transfers below 1 KB; None without any.

        Where nothing larger passed they carried the bytes, and it is this verdict itself.
        """
        values = super().small_calls
        if values is None:
            return None
        return self if values is self else printed(Verdict, values)

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain values, as ``--format json`` prints it."""
        from airmile.render.json import document

        return document(self)

    def __str__(self) -> str:
        """Return what ``airmile analyze`` prints."""
        from airmile.render.text import render

        return render(self)


class Radio(RadioValues):  # noqa: D101  # its values describe it
    __doc__ = RadioValues.__doc__

    def __str__(self) -> str:
        """Return what ``airmile radio`` prints."""
        from airmile.render import radio

        return radio.render(self)


class Alignment(AlignmentValues):  # noqa: D101  # its values describe it
    __doc__ = AlignmentValues.__doc__

    def __str__(self) -> str:
        """Return what ``airmile align`` prints."""
        from airmile.render import align

        return align.render(self)
