"""The sums of the engine and those of Python agree on every emulated set."""

from __future__ import annotations

from pathlib import Path

import pytest

import airmile
from tests.support.share import sample

Judged = airmile.Verdict | airmile.FlowVerdict | airmile.TransferVerdict
SETS = sorted((Path(__file__).parents[1] / "data" / "emu").glob("*/monitor.pcap.gz"))


@pytest.fixture(
    scope="module",
    params=sample(SETS, few=8, what="sets whose tables agree"),
    ids=lambda path: str(path.parent.name),
)
def dataset(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> airmile.Dataset:
    out = tmp_path_factory.mktemp("set") / "set.airmile"
    return airmile.analyze(request.param, out=out)


def test_flows_are_limited_by_the_same_cause(dataset: airmile.Dataset) -> None:
    engine = dataset.sql("SELECT uid, limited_by FROM flows WHERE limited_by IS NOT NULL")
    ours = {flow.uid: flow.limited_by for flow in dataset.verdict.flows}
    assert ours and ours == {row["uid"]: row["limited_by"] for row in engine.to_pylist()}


def test_shares_of_a_transfer_are_those_of_its_slices(dataset: airmile.Dataset) -> None:
    lengths = dataset.sql(
        """SELECT transfer_id, cause, sum(end_ns - start_ns) / sum(sum(end_ns - start_ns))
               OVER (PARTITION BY transfer_id) AS share
           FROM slices WHERE transfer_id IS NOT NULL GROUP BY transfer_id, cause"""
    )
    slices: dict[int, dict[str, float]] = {}
    for row in lengths.to_pylist():
        slices.setdefault(row["transfer_id"], {})[row["cause"]] = row["share"]
    assert dataset.verdict.transfers
    for transfer in dataset.verdict.transfers:
        assert dict(transfer.shares) == pytest.approx(slices[transfer.transfer_id])


def test_shares_add_up(dataset: airmile.Dataset) -> None:
    verdict = dataset.verdict
    judgements: list[Judged] = [verdict, *verdict.flows, *verdict.transfers]
    assert len(judgements) >= 3
    for judged in judgements:
        assert judged.limited_by is not None
        assert sum(judged.shares.values()) == pytest.approx(1)
        assert judged.shares[judged.limited_by] == max(judged.shares.values())


def test_slices_of_a_transfer_neither_overlap_nor_leave_gaps(dataset: airmile.Dataset) -> None:
    holes = dataset.sql(
        """SELECT count(*) AS n FROM (SELECT start_ns - lag(end_ns) OVER (
               PARTITION BY transfer_id ORDER BY start_ns) AS gap
           FROM slices WHERE transfer_id IS NOT NULL
               AND cause NOT IN ('handshake_dns', 'promotion_delay')) WHERE gap <> 0"""
    )
    assert holes.to_pydict() == {"n": [0]}


def test_requests_in_clear_part_transfers_however_short_they_are(
    tmp_path: Path,
) -> None:
    """A video of eight segments, each requested by a line of HTTP of 50 bytes."""
    video = Path(__file__).parents[1] / "data" / "emu" / "t22_dash" / "monitor.pcap.gz"
    transfers = airmile.analyze(video, out=tmp_path / "set.airmile").transfers.to_pylist()
    assert [transfer["boundary"] for transfer in transfers] == ["http"] * 8
