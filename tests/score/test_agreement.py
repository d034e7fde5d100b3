"""The verdict agrees with the labels of every emulated set.

The floor is well below what is reached: the labels are a rule's opinion too, one bin in ten touches
a change of state, and the verdict is built for its definitions and not for these sets. What it must
never do is lose a set or a label altogether. ``python -m tests.score`` prints the figures.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import airmile
from tests.score.capture import span_ns
from tests.score.score import Score, score_set

SETS = [
    labels
    for labels in sorted((Path(__file__).parents[1] / "data" / "emu").glob("*/labels.csv.gz"))
    # Those that our own testbed recorded have a test of their own.
    if not list(labels.parent.glob("*.toml"))
]
FLOOR = 0.9
RECALL_FLOOR = 0.5
FEW_BINS = 10
"""A label with fewer bins than this in all sets says nothing of recall."""


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Score]:
    """Score the monitor's capture of each set."""
    found = {}
    for labels in SETS:
        capture = labels.parent / "monitor.pcap.gz"
        out = tmp_path_factory.mktemp("score") / "set.airmile"
        airmile.analyze(capture, out=out)
        found[labels.parent.name] = score_set(out / "slices", labels, *span_ns(capture))
    return found


@pytest.mark.parametrize("name", [labels.parent.name for labels in SETS])
def test_a_set_agrees(scores: dict[str, Score], name: str) -> None:
    assert scores[name].agreement >= FLOOR, scores[name]
    assert scores[name].tolerant_agreement >= scores[name].agreement


def test_every_label_is_recognised(scores: dict[str, Score]) -> None:
    every = sum(scores.values(), Score())
    common = {label for label, bins in every.labels().items() if bins >= FEW_BINS}
    assert {"link", "rwnd", "idle_or_app", "rto_loss", "cwnd_or_path"} <= common
    for label in common:
        assert every.recall()[label] >= RECALL_FLOOR, label


OTHERS = sorted((Path(__file__).parents[1] / "data" / "emu_own").glob("*/labels.csv.gz"))
OTHERS_FLOOR = 0.93
OTHERS_SET_FLOOR = 0.85
"""With one bin of tolerance: a third of the bins of sixty short flows touch a change of state."""


def test_other_links_agree(tmp_path: Path) -> None:
    scores = {}
    for labels in OTHERS:
        capture = labels.parent / "monitor.pcap.gz"
        out = tmp_path / f"{labels.parent.name}.airmile"
        airmile.analyze(capture, out=out)
        scores[labels.parent.name] = score_set(out / "slices", labels, *span_ns(capture))
    every = sum(scores.values(), Score())
    assert every.agreement >= OTHERS_FLOOR, every
    for name, score in scores.items():
        assert score.tolerant_agreement >= OTHERS_SET_FLOOR, f"{name}: {score}"
