"""What the report says about a log itself: its length, and what a log without allocations holds."""

from __future__ import annotations

from pathlib import Path

import airmile
from airmile.answers.radio import _log_words
from tests.support import radio_dataset as made

YEAR_NS = 365 * 86_400 * 10**9
EPOCH_1980_NS = 315_964_800 * 10**9


def test_a_log_whose_clock_was_set_has_no_length() -> None:
    last = EPOCH_1980_NS + 44 * YEAR_NS
    log = made.log(first_ns=EPOCH_1980_NS, last_ns=last)
    assert "length unknown (its clock was set: records from 1980 to 2023)" in _log_words.title(log)
    assert "31 536 000 s" not in _log_words.title(log)


def test_a_log_of_days_has_its_length() -> None:
    log = made.log(first_ns=made.BEGIN, last_ns=made.BEGIN + 2 * 10**9)
    assert "2.0\xa0s" in _log_words.title(log)
    longest = made.log(first_ns=made.BEGIN, last_ns=made.BEGIN + YEAR_NS)
    assert "unknown" not in _log_words.title(longest)


def test_a_log_without_allocation_says_which_messages_it_holds(tmp_path: Path) -> None:
    log = made.log(
        understood={"0xB0C0 v8": 7, "0xB0C0 v20": 1200, "0xB0C1 v2": 3},
        other={"0xB0EE": 155, "command 0x60": 9},
    )
    path = made.write(tmp_path / "phone.airmile", {"modem": [log], "radio": []})
    text = " ".join(str(airmile.open(path).radio).split())
    assert "the log holds 0xB0C0 (1 207), 0xB0EE (155) and 0xB0C1 (3)" in text
    assert "log the PDSCH allocations (0xB173)" in text


def test_only_the_most_frequent_messages_are_listed() -> None:
    log = made.log(understood={}, other={f"0xB{n:03X}": n for n in range(1, 20)})
    (text,) = _log_words.holds([log])
    assert text.startswith("the log holds 0xB013 (19), 0xB012 (18)")
    assert text.endswith("and 7 more kinds (see manifest.json)")


def test_a_log_with_allocations_does_not_list_its_messages(tmp_path: Path) -> None:
    manifest = {"modem": [made.log()], "radio": [made.user()]}
    path = made.write(tmp_path / "phone.airmile", manifest, ttis=made.blocks(range(100)))
    assert "the log holds" not in str(airmile.open(path).radio)
