"""The download during an upload of UP16, from invented seconds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from airmile.study import Missing, up16
from tests.support.made import Rows, at, dataset, flow


def bins(uid: int, direction: str, sizes: dict[int, int]) -> Rows:
    """Return half seconds of a flow, by their number."""
    return [
        {"uid": uid, "direction": direction, "start_ns": at(500 * number), "bytes": size}
        for number, size in sizes.items()
    ]


def both(path: Path) -> Any:
    down = bins(1, "downlink", {0: 500_000, 1: 500_000, 2: 100_000, 3: 150_000, 4: 1000})
    up = bins(2, "uplink", {2: 200_000, 3: 200_000, 4: 90_000})
    return dataset(path, flows=[flow(1), flow(2)], throughput=[*down, *up])


def test_seconds_with_an_upload_are_beside_those_without(tmp_path: Path) -> None:
    table = up16.download.table(both(tmp_path / "d"))
    rows = [(row["time_s"], row["dl_bps"], row["ul_bps"]) for row in table.to_pylist()]
    assert rows == [(0, 8e6, 0), (1, 2e6, 3.2e6), (2, 8e3, 0.72e6)]
    here = {each.quantity: each.here for each in up16.download.findings(table)}
    assert here["download without upload"] == "8.0\xa0Mbps"
    assert here["download during the upload"] == "2.0\xa0Mbps"
    assert here["the second over the first"] == "25\xa0%"


def test_a_download_alone_is_no_such_second(tmp_path: Path) -> None:
    alone = dataset(tmp_path / "d", flows=[flow(1)], throughput=bins(1, "downlink", {0: 500_000}))
    with pytest.raises(Missing, match="no second with a download and an upload"):
        up16.download.table(alone)


def test_the_picture_of_both_directions(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    figure = up16.download.draw(up16.download.table(both(tmp_path / "d")))
    assert figure is not None
    assert figure.axes[0].get_legend_handles_labels()[1] == ["download", "upload"]
