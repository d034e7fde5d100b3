"""The picture of statements: where the margin around each published value is drawn."""

from __future__ import annotations

from dataclasses import replace

import pytest

from airmile._intervals import mean
from airmile.campaign import picture
from airmile.campaign.design import Statement
from airmile.campaign.measured import Line
from airmile.campaign.plans import Planned


def line(value: float, bound: int) -> Line:
    statement = Statement("rate", "section 1", "so much", value, "", "mean", "", bound=bound)
    planned = Planned(statement, "tested", 3, 6)
    return Line(planned, mean([value, value, value * 1.1]), None, "undecided", None)


@pytest.mark.parametrize(
    ("value", "bound", "low", "high"),
    [
        (3, 0, 0.75, 1.25),
        (3, 1, 0.75, picture.RIGHT),
        (3, -1, picture.LEFT, 1.25),
        # "At least half less" is a negative value, so further down means further right.
        (-0.5, 0, 0.75, 1.25),
        (-0.5, -1, 0.75, picture.RIGHT),
    ],
)
def test_a_bound_opens_the_margin_to_its_side(
    value: float, bound: int, low: float, high: float
) -> None:
    figure = picture.draw([line(value, bound)], 0.25)
    assert figure is not None
    (band,) = figure.axes[0].patches
    box = band.get_window_extent().transformed(figure.axes[0].transData.inverted())
    assert (box.x0, box.x1) == pytest.approx((low, high))


@pytest.mark.parametrize("narrow", [False, True])
def test_long_names_go_on_in_the_next_line(narrow: bool) -> None:
    shown = line(3, 0)
    quantity = "round trip of the retransmitted packet relative to the one before it"
    statement = replace(shown.statement, quantity=quantity)
    shown = replace(shown, planned=replace(shown.planned, statement=statement))
    figure = picture.draw([shown], 0.25, narrow=narrow)
    assert figure is not None
    (label,) = figure.axes[0].get_yticklabels()
    assert " ".join(label.get_text().split()) == f"{quantity} (n = 3)"
    assert "\n" in label.get_text()
