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
            "kind": ["point"] * n,
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


def test_a_curve_at_0_is_apart_from_the_axis() -> None:
    figure = hwy18.fig14.draw(curve(0, 0, 0, 1))
    assert figure is not None
    assert figure.axes[0].get_xlim()[0] < 0


def test_a_logarithmic_axis_leaves_out_the_least_values() -> None:
    figure = Figure()
    Picture("size (KB)")(figure, curve(1e-4, *range(1, 1000)))
    assert 1e-2 < figure.axes[0].get_xlim()[0] < 3


def test_the_parts_of_a_figure_are_panels_with_their_own_curves() -> None:
    names = ("upload 1-10 MB", "download 1-10 MB")
    rows = pa.concat_tables(curve(1, 2, name=name) for name in names)
    figure = up16.fig2.draw(rows)
    assert figure is not None
    shown = [axes.get_legend_handles_labels()[1] for axes in figure.axes]
    assert shown == [[f"{name} (n = 2)"] for name in names]


def modulation(ratio: float) -> pa.Table:
    return pa.table({"bin_db": [10], "modulation": ["QPSK"], "blocks": [7], "ratio": [ratio]})


@pytest.mark.parametrize(("narrow", "columns"), [(False, 2), (True, 1)])
def test_datasets_that_cannot_share_axes_have_panels_below_their_labels(
    narrow: bool, columns: int
) -> None:
    tables = {"A": modulation(1.0), "B": modulation(0.5), "C": modulation(0.7)}
    figure = hwy18.fig4.draw_together(tables, narrow=narrow)
    labels = [part.get_suptitle() for part in figure.subfigs[:3]]
    assert labels == ["A", "B", "C"]
    figure.canvas.draw()
    left = {round(part.bbox.x0) for part in figure.subfigs}
    assert len(left) == columns
    assert len({axes.get_ylim() for axes in figure.axes}) == 1


def test_a_table_of_the_paper_has_no_picture() -> None:
    with pytest.raises(ValueError, match="table1"):
        lte13.table1.draw_together({})


def test_panels_that_do_not_fit_beside_each_other_are_in_two_columns() -> None:
    figure = Figure(figsize=(9.0, 5.4))
    assert len(_style.panels(figure, 5)) == 5
    place = figure.axes[0].get_subplotspec()
    assert place is not None
    assert place.get_gridspec().get_geometry() == (3, 2)
    assert figure.get_figheight() == pytest.approx(3 * _style.ROW_INCHES)


def test_many_names_below_an_axis_are_upright() -> None:
    axes = Figure(figsize=(9.0, 5.4)).subplots()
    _style.names_below(axes, ["QPSK"] * 3)
    assert axes.get_xticklabels()[0].get_rotation() == 0
    _style.names_below(axes, ["a device of a carrier"] * 12)
    assert axes.get_xticklabels()[0].get_rotation() == 90
