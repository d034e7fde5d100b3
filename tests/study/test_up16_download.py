"""The download during an upload of UP16, from invented seconds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from airmile.study import Missing, up16
from tests.support.made import Rows, at, dataset, flow, transfer


def bins(uid: int, direction: str, sizes: dict[int, int]) -> Rows:
    """Return half seconds of a flow, by their number."""
    return [
        {"uid": uid, "direction": direction, "start_ns": at(500 * number), "bytes": size}
        for number, size in sizes.items()
    ]


def both(path: Path, **more: Any) -> Any:
    """Return a download of 8 s beside an upload from 2.5 s to 6.5 s, and a request of 200 KB."""
    sizes = {n: 500_000 if n < 5 or n >= 13 else 125_000 for n in range(16)}
    down = bins(1, "downlink", sizes) + bins(1, "uplink", {15: 200_000})
    up = bins(2, "uplink", dict.fromkeys(range(5, 13), 100_000))
    transfers = [
        transfer(1, 1, 0, 8000, bytes=6_000_000),
        transfer(2, 2, 2500, 6500, direction="uplink", bytes=800_000),
        transfer(1, 3, 7600, 7900, direction="uplink", bytes=200_000),
    ]
    tables: dict[str, Rows] = {
        "flows": [flow(1), flow(2)], "throughput": [*down, *up], "transfers": transfers, **more
    }  # fmt: skip
    return dataset(path, **tables)


def test_the_download_is_compared_in_and_outside_the_seconds_of_an_upload(tmp_path: Path) -> None:
    table = up16.download.table(both(tmp_path / "d"))
    rows = table.to_pylist()
    assert [row["time_s"] for row in rows if row["uploads"]] == [3, 4, 5]
    # The seconds 2 and 6 are partly with the upload. A request is no upload.
    assert [row["time_s"] for row in rows if not row["near_upload"]] == [0, 1, 7]
    here = {each.quantity: (each.here, each.n) for each in up16.download.findings(table)}
    assert here["download without upload"] == ("8.0\xa0Mbps", 3)
    assert here["download during the upload"] == ("2.0\xa0Mbps", 3)
    assert here["the second over the first"] == ("25\xa0%", 3)


def test_requests_of_any_size_are_no_upload(tmp_path: Path) -> None:
    short = [
        transfer(1, 1, 0, 8000),
        *(transfer(2, n, 1000 * n, 1000 * n + 900, direction="uplink") for n in range(2, 8)),
        transfer(2, 9, 1000, 7000, direction="uplink", bytes=99_999),
    ]
    with pytest.raises(Missing, match="no second with a download and an upload of 3 s or more"):
        up16.download.table(both(tmp_path / "d", transfers=short))


def test_a_download_alone_is_no_such_second(tmp_path: Path) -> None:
    alone = both(tmp_path / "d", transfers=[transfer(1, 1, 0, 8000)])
    with pytest.raises(Missing, match="no second with a download and an upload"):
        up16.download.table(alone)


def test_another_phones_upload_is_not_beside_the_download(tmp_path: Path) -> None:
    with pytest.raises(Missing, match="no second with a download and an upload"):
        up16.download.table(both(tmp_path / "d", flows=[flow(1), flow(2, ue="10.0.0.2")]))


def test_the_picture_of_both_directions(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    figure = up16.download.draw(up16.download.table(both(tmp_path / "d")))
    assert figure is not None
    assert figure.axes[0].get_legend_handles_labels()[1] == ["download", "upload"]
