"""What a flow sent again, in one sentence: what counts, of how many, and in which unit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from airmile.dataset import Dataset
from tests.support.handmade import MANIFEST, flow, slice_, transfer, write

LATE = "because the first copy was lost"


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (
            {"dl_retransmissions": 5, "dl_spurious_retransmissions": 4, "dl_tail_probes": 1},
            "10 of 1 000 packets retransmitted (1.0 %), 1 of them as tail loss probes, 4 of them "
            "needlessly: their data had arrived",
        ),
        (
            {"dl_retransmissions": 0, "dl_spurious_retransmissions": 3},
            "3 of 1 000 packets retransmitted (0.3 %), all needlessly: their data had arrived",
        ),
        (
            {"dl_retransmissions": 250, "dl_recorded_twice": 500},
            "250 of 500 packets retransmitted (50 %)",
        ),
        (
            {"dl_retransmissions": 9, "dl_super_segments": 700, "dl_unique_bytes": 980_000},
            "20.0 KB of 1.0 MB retransmitted (2.0 %), in 9 records",
        ),
        (
            {"dl_retransmissions": 0, "dl_upstream_losses": 2},
            f"2 packets of 1 000 came late, {LATE}; none passed here twice",
        ),
        (
            {"dl_retransmissions": 1, "dl_upstream_losses": 2},
            f"1 of 1 000 packets retransmitted (0.1 %); 2 came late, {LATE} before this point",
        ),
        (
            {"dl_retransmissions": 0, "dl_reordered": 2},
            "none of 1 000 packets passed here twice; 2 came out of order, or were lost before "
            "this point and sent again at once",
        ),
        (
            {"vantage": "server", "dl_retransmissions": 0, "dl_upstream_losses": 2},
            "none of 1 000 packets retransmitted",
        ),
        (
            {"dl_retransmissions": 0, "dl_window_probes": 1, "dl_empty_window_probes": 2},
            "none of 1 000 packets retransmitted, 3 window probes among them",
        ),
        (
            {"dl_retransmissions": 0, "dl_empty_window_probes": 1, "dl_keep_alives": 2},
            "none of 1 000 packets retransmitted, 1 window probe and 2 keep-alives among them",
        ),
        (
            {"vantage": "ue", "dl_retransmissions": 44, "dl_spurious_retransmissions": 7},
            "51 of 1 000 packets came twice (5.1 %)",
        ),
        (
            {"vantage": "ue", "dl_retransmissions": 1, "dl_upstream_losses": 12},
            f"12 packets of 1 000 came late, {LATE}; 1 came twice",
        ),
    ],
)
def test_all_that_was_sent_again_is_counted(
    columns: dict[str, Any], said: str, tmp_path: Path
) -> None:
    point = columns.get("vantage", "monitor")
    place = {"vantage": {**MANIFEST["vantage"], "value": point, "source": "given"}}
    columns = {name: value for name, value in columns.items() if name != "vantage"}
    tables = {
        "flows": [flow(1, **columns)],
        "transfers": [transfer(1, 1, 0, 1)],
        "slices": [slice_(1, 1, 0, 1, "slow_start")],
    }
    (shown,) = Dataset(write(tmp_path / "hand.airmile", tables, place)).verdict.flows
    assert said in [line.text.replace("\u00a0", " ") for line in shown.evidence]
