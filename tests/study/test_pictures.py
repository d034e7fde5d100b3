"""Pictures whose axes are easy to read, whatever the data."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from airmile.study import _style, eff14, hwy18, lte13, up16
from airmile.study._curves import Picture

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure


def curve(*values: float, name: str = "bbr") -> pa.Table:
    """Return the table of one curve whose points are these values."""
    n = len(values)
    shares = [(place + 1) / n for place in range(n)]
    return pa.table(
        {
            "curve": [name] * n,
            "n": [n] * n,
            "share_ratio": shares,
            "value": list(map(float, values)),
        }
    )


def numbers(figure: Figure) -> list[str]:
    """Return the numbers that are written along the x axis, of which some may be minor."""
    figure.canvas.draw()
    axis = figure.axes[0].xaxis
    return [
        text for minor in (False, True) if (texts := axis.get_ticklabels(minor=minor))
        for text in (each.get_text() for each in texts) if text
    ]  # fmt: skip


def test_seconds_that_carry_no_payload_have_one_curve() -> None:
    rows = pa.table(
        {"flows": [0], "slots": [7], "share_ratio": [1.0], "share_of_busy_ratio": [None]}
    )
    figure = up16.fig5.draw(rows)
    assert figure is not None
    labels = figure.axes[0].get_legend_handles_labels()[1]
    assert labels == ["all slots (n = 7)", "printed in the paper"]


def test_a_linear_axis_begins_at_0_and_reaches_the_end_of_the_papers() -> None:
    figure = hwy18.fig6.draw(curve(850_000))
    assert figure is not None
    assert figure.axes[0].get_xlim() == (0, 45)
    assert list(np.ravel(figure.axes[0].get_lines()[0].get_xdata())) == pytest.approx([0.85])


def test_a_longer_axis_than_the_papers_holds_all_values() -> None:
    figure = Figure()
    Picture("size (MB)", reach=(0.001, 100))(figure, curve(1e-5, 1e4))
    low, high = figure.axes[0].get_xlim()
    assert low < 1e-5 and high > 1e4


def test_a_short_logarithmic_axis_has_plain_numbers() -> None:
    figure = Figure()
    Picture("time (s)")(figure, curve(0.07, 0.5))
    written = numbers(figure)
    assert len(written) >= 3
    assert [f"{float(text):g}" for text in written] == written


def test_what_the_paper_prints_of_other_curves_is_not_in_the_legend() -> None:
    figure = hwy18.fig6.draw(curve(1e6, name="reno"))
    assert figure is not None
    assert figure.axes[0].get_legend_handles_labels()[1] == ["reno (n = 1)"]


@pytest.mark.parametrize(("narrow", "shape"), [(False, (2, 3)), (True, (3, 2))])
def test_panels_are_below_each_other_in_a_narrow_picture(
    narrow: bool, shape: tuple[int, int]
) -> None:
    figure = eff14.fig2.draw(eff14.fig2.table("eff14-4g"), narrow=narrow)
    assert figure is not None
    place = figure.axes[0].get_subplotspec()
    assert place is not None
    assert place.get_gridspec().get_geometry() == shape


def test_a_legend_has_as_many_columns_as_fit() -> None:
    wide, narrow = (hwy18.fig6.draw(curve(1e6), narrow=narrow) for narrow in (False, True))
    assert wide is not None and narrow is not None
    labels = ["downlink, above 100 KB (n = 1 259)"] * 4
    assert (_style.columns(wide, labels), _style.columns(narrow, labels)) == (3, 1)


def labels(figure: Figure) -> list[str]:
    return list(map(str, figure.axes[0].get_legend_handles_labels()[1]))


def test_datasets_share_the_picture_of_concurrent_flows() -> None:
    tables = {
        name: pa.table({"flows": [1, 2], "seconds": [long_s, 1.0], "share_ratio": [0.5, 0.5]})
        for name, long_s in (("A", 2.0), ("B", 3.0))
    }
    assert labels(lte13.fig6.draw_together(tables))[:2] == ["A (3.0\xa0s)", "B (4.0\xa0s)"]


def test_datasets_are_beside_each_other_by_congestion_control() -> None:
    own = {"bin_db": [10], "throughput_bps": [1e6], "sinr_db": [12.0]}
    tables = {name: pa.table({"control": ["bbr"], **own}) for name in ("A", "B")}
    drawn = hwy18.fig3.draw_together(tables)
    assert labels(drawn) == ["A: bbr, n = 1", "B: bbr, n = 1"]


def test_published_series_are_drawn_once_beside_several_datasets() -> None:
    table = eff14.fig2.table("eff14-4g")
    drawn = eff14.fig2.draw_together({"A": table, "B": table})
    named = [axes.get_title(loc="left") for axes in drawn.axes if axes.get_title(loc="left")]
    assert named == ["A", "B", "EFF14, 3.5G"]


def test_an_axis_of_the_paper_that_hides_the_curve_grows() -> None:
    shown, hidden = Figure(), Figure()
    draw = lte13.fig8.picture
    assert draw is not None
    draw(shown, curve(0.5, 1, 90))
    draw(hidden, curve(0.5, 8, 9))
    assert shown.axes[0].get_xlim() == (0, 4)
    assert hidden.axes[0].get_xlim()[1] >= 9
