"""Scores as text, JSON and CSV: their contents, and the note about a late run."""

from __future__ import annotations

import csv
import json
from collections import Counter

from airmile.testbed.record.facts import doubts
from airmile.testbed.scoring import Compared, Pair, Score, Scored, scores

GOOD = Scored(
    Score(4, 3.0, 4.0, Counter({("link", "lte_downlink"): 3, ("link", "idle"): 1}), {"link": 3.0})
)
GOOD.quantities["timeouts"] = Compared((Pair(1, 1),), "timeouts")
LATE = Scored(Score(), doubts=("the machine was late",))
BOTH = [("a", GOOD), ("b", LATE), (scores.ALL, GOOD + LATE)]


def test_json_has_the_table_of_labels_and_causes() -> None:
    (document,) = scores.as_json(BOTH)
    cause, timeouts, late, *_ = json.loads(document)
    assert cause["agreement"] == 0.75
    assert cause["tolerant_agreement"] == 1
    assert cause["recall"] == {"link": 0.75}
    assert cause["causes_by_label"] == {"link": {"idle": 1, "lte_downlink": 3}}
    assert timeouts["agreement"] is None
    assert late["agreement"] is None, "no bins: unknown, which JSON has no nan for"


def test_csv_has_the_same_columns_in_each_row() -> None:
    (text,) = scores.as_csv(BOTH)
    rows = list(csv.DictReader(text.splitlines()))
    assert [row["trustworthy"] for row in rows] == ["True", "True", "False", "False", "False"]
    assert rows[0]["agreement"] == "0.75"
    assert not any(None in row or None in row.values() for row in rows)


def test_text_marks_what_is_not_to_be_trusted() -> None:
    good, late, every = scores.text(BOTH)
    assert "trusted" not in good
    assert "1 timeout said, 1 true; 1 case right" in good
    assert late.endswith("NOT to be trusted: the machine was late")
    assert every.endswith("some of these runs are NOT to be trusted")


def test_why_a_run_is_not_to_be_trusted() -> None:
    late = {"p50": 30, "p99": 2100, "p99.9": 3000, "max": 250_000}
    report = {"trustworthy": False, "late_us": late, "refused_packets": 1}
    assert doubts(report, 1000, {"s0": 0, "r0": 2}, {"ue": 3}) == [
        "the machine was late: one TTI in 100 by 2.10 ms or more",
        "the machine stood still: one TTI was 250 ms late",
        "the kernel did not take 1 packet",
        "the ring of r0 lost 2 packets",
        "ue.pcap lost 3 packets",
    ]
    assert doubts({**report, "trustworthy": True}, 1000, {"s0": 0}, {"ue": 0}) == []
