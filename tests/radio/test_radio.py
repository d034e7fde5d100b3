"""The verdict on a modem log: the answer, its range, and its caveats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import airmile
from airmile.answers.radio.findings import find
from airmile.printed import Radio
from airmile.render import radio as words
from tests.support import radio_dataset as made


def found(folder: Path, user: dict[str, Any], log: dict[str, Any], **tables: Any) -> Radio:
    """Write a dataset and judge it."""
    manifest = {"modem": [log], "radio": [user]}
    return airmile.open(made.write(folder / "phone.airmile", manifest, **tables)).radio


HALF = [*range(0, 2000), *range(5000, 6000)]
"""The milliseconds with a block: the phone receives for 3 s of 10."""


def of_demand(folder: Path, joint: float, low: float, high: float, **more: Any) -> Radio:
    """Analyse a log with this link demand."""
    user = made.user(link_demand={"joint": joint, "low": low, "high": high}, **more)
    return found(folder, user, made.log(), ttis=made.blocks(HALF))


@pytest.mark.parametrize(
    ("joint", "low", "high", "bottleneck", "words"),
    [
        (0.27, 0.26, 0.28, True, "busy 90 % of the 3.0 s in which the phone received (between 87 % "
         "and 93 %): it was the bottleneck for 2.7 s."),
        (0.30, 0.30, 0.30, True, "busy 100 % of the 3.0 s in which the phone received: it was the "
         "bottleneck for all of it."),
        (0.06, 0.05, 0.07, False, "busy 20 % of the 3.0 s in which the phone received (between 17 "
         "% and 23 %): not the bottleneck; for 2.4 s something else held the data back."),
        (0.06, 0.03, 0.09, False, "busy between 10 % and 30 % of the 3.0 s in which the phone "
         "received: not the bottleneck; for 2.1 s to 2.7 s something else held the data back."),
        (0.30, 0.201, 0.30, True, "busy between 67 % and 100 % of the 3.0 s in which the phone "
         "received: it was the bottleneck for 2.0 s to 3.0 s."),
        (0.15, 0.06, 0.27, None, "whether it was the bottleneck is unknown: busy between 20 % and "
         "90 % of the 3.0 s in which the phone received; the allocations alone do not distinguish "
         "an empty queue from a waiting one here."),
    ],
)  # fmt: skip
def test_the_answer_with_its_range(
    tmp_path: Path, joint: float, low: float, high: float, bottleneck: bool | None, words: str
) -> None:
    radio = of_demand(tmp_path, joint, low, high)
    assert radio.link_is_bottleneck is bottleneck
    assert radio.users[0].receiving_s == pytest.approx(3.0, abs=0.01)
    assert "Downlink    " + words in " ".join(str(radio).split("\n\n")[1].split()).replace(
        "Downlink ", "Downlink    "
    )


def test_another_radio_that_carries_the_rest_leaves_it_open(tmp_path: Path) -> None:
    aligned = {"offset_ms": 12.0, "drift_ppm": 3.0, "uncertainty_ms": 2.0, "explained_ratio": 0.7}
    radio = of_demand(tmp_path, 0.27, 0.26, 0.28, aligned=aligned)
    assert radio.link_is_bottleneck is None
    assert "explains only 70 % of the acknowledged bytes" in " ".join(str(radio).split())


@pytest.mark.parametrize(
    ("word", "bottleneck"), [("holds", True), ("does_not_hold", None), ("unknown", None)]
)
def test_the_burst_rule_alone_is_believed_where_its_assumption_holds(
    tmp_path: Path, word: str, bottleneck: bool | None
) -> None:
    user = made.user(assumption={"word": word}, link_demand={"joint": 0.02, "bursttracker": 0.29})
    dataset = found(tmp_path, user, made.log(), ttis=made.blocks(HALF)).dataset
    assert find(dataset).link_is_bottleneck is False
    rule = find(dataset, "bursttracker").users[0]
    assert rule.link_is_bottleneck is bottleneck
    assert rule.busy_ratio == pytest.approx(0.29 / 0.3, abs=0.01)
    assert (rule.reason is None) == (word == "holds")


@pytest.mark.parametrize(
    ("offset_ms", "unsure_ms", "shown"),
    [
        (-0.2, 3.2, "the clocks of modem and capture agree within 3.2 ms"),
        (-3512.0, 2.0, "the capture's clock less the modem's is -3 512.0 ms ± 2.0 ms"),
    ],
)
def test_the_clocks(tmp_path: Path, offset_ms: float, unsure_ms: float, shown: str) -> None:
    aligned = {"offset_ms": offset_ms, "uncertainty_ms": unsure_ms, "explained_ratio": 1.0}
    text = str(of_demand(tmp_path, 0.27, 0.26, 0.28, aligned=aligned))
    assert shown in " ".join(text.split())


def test_a_log_without_allocations_says_what_to_log(tmp_path: Path) -> None:
    radio = airmile.open(made.write(tmp_path / "x", {"modem": [made.log()], "radio": []})).radio
    assert radio.link_is_bottleneck is None
    assert "nothing to judge" in str(radio)
    assert "log the PDSCH allocations (0xB173)" in str(radio)


def test_paging_is_not_the_users_data_and_failed_blocks_are_no_volume(tmp_path: Path) -> None:
    ttis = [
        *made.blocks(range(100)),
        *made.blocks(range(200, 300), crc_ok=False),
        *made.blocks(range(800, 900), rnti="other"),
    ]
    (user,) = found(tmp_path, made.user(), made.log(), ttis=ttis).users
    assert user.downlink_bytes == 100 * 2000
    assert user.receiving_s == pytest.approx(0.3, abs=0.002)
    assert user.carriers[0]["scheduled_ms"] == 200
    # Half of the blocks with a decoding result were not decoded; the others have no result.
    assert user.carriers[0]["crc_failed_ratio"] == 1.0


def test_of_many_users_the_largest_are_listed(tmp_path: Path) -> None:
    ttis = [block for rnti in range(1, 21) for block in made.blocks(range(rnti), user=rnti)]
    radio = found(tmp_path, made.user(user=20), made.log(), ttis=ttis)
    assert [user.user for user in radio.users] == list(range(20, 12, -1))
    assert radio.other_users == 12
    assert "19 other users in the log" in str(radio)
    assert "user 13:" in words.render(radio, verbose=True)


def test_only_the_width_of_the_downlink_is_requested(tmp_path: Path) -> None:
    shown = {"carrier": 0, "prbs": 50, "direction": "downlink", "source": "mib"}
    seen = {"carrier": 0, "prbs": 44, "direction": "uplink", "source": "largest_seen"}
    user = made.user(prb_totals=[shown, seen])
    assert "--cell-prbs" not in str(found(tmp_path, user, made.log(), ttis=made.blocks(HALF)))


def test_a_change_between_measurements_has_no_length(tmp_path: Path) -> None:
    moved = {"user": 0, "kind": "handover", "source": "serving_cell", "start_ns": made.BEGIN}
    radio = found(
        tmp_path, made.user(), made.log(),
        ttis=made.blocks(HALF), handovers=[moved | {"end_ns": made.BEGIN + 1000 * made.MS}],
    )  # fmt: skip
    text = " ".join(str(radio).split())
    assert "1 handover (from changes between measurements: a lower bound)" in text


ACKS = [
    block
    for at in range(0, 10_000, 20)
    for block in made.blocks([at], tbs_bytes=70, prbs=2, padding_bytes=0)
]
"""An upload's acknowledgements: 35 KB in 500 milliseconds."""


def sent(**more: Any) -> dict[str, Any]:
    """Make the manifest's entry of an upload of 10 s."""
    plain = {
        "blocks": 2000, "granted_bytes": 1_250_000, "padding_bytes": 50_000, "filled_ratio": 0.9,
        "sending_s": 10.0, "backlogged_s": 9.7, "known_s": 10.0,
    }  # fmt: skip
    return plain | more


def of_upload(folder: Path, uplink: dict[str, Any], **tables: Any) -> tuple[Radio, str]:
    """Analyse a log whose downlink holds acknowledgements."""
    demand = {"joint": 0.54, "low": 0.01, "high": 0.91}
    user = made.user(link_demand=demand, uplink=uplink)
    radio = found(folder, user, made.log(), ttis=ACKS, **tables)
    return radio, " ".join(str(radio).replace("\xa0", " ").split())


def test_an_upload_says_that_its_log_is_of_another_time(tmp_path: Path) -> None:
    user = made.user(link_demand={"joint": 0.54, "low": 0.01, "high": 0.91}, uplink=sent())
    user["not_aligned"] = "log and capture are not of the same time"
    radio = found(tmp_path, user, made.log(), ttis=ACKS)
    text = " ".join(str(radio).replace("\xa0", " ").split())
    assert "Clock the log is not on the capture's clock: log and capture are not of the" in text


def test_acknowledgements_are_no_busy_downlink(tmp_path: Path) -> None:
    radio, text = of_upload(tmp_path, sent())
    assert "Downlink the phone received almost nothing, 35.0 KB in 10.0 s" in text
    assert "The uplink was the direction that mattered." in text
    assert "busy" not in text and "54 %" not in text and "91 %" not in text
    user = radio.users[0]
    assert (user.received_little, user.busy_ratio, radio.link_is_bottleneck) == (True, None, None)


def test_padding_is_nothing_that_the_phone_received(tmp_path: Path) -> None:
    padded = [
        block
        for carrier in (0, 1)
        for at in range(0, 10_000, 20)
        for block in made.blocks([at], tbs_bytes=230, padding_bytes=120, carrier=carrier)
    ]
    user = made.user(link_demand={"joint": 0.54, "low": 0.01, "high": 0.91}, uplink=sent())
    (shown,) = found(tmp_path, user, made.log(), ttis=padded).users
    # 220 bytes per millisecond are more than acknowledgements; the 110 of each carrier are not.
    assert not shown.received_little
    one = [block for block in padded if block["carrier"] == 0]
    (shown,) = found(tmp_path / "one", user, made.log(), ttis=one).users
    assert shown.received_little


def test_a_download_beside_an_upload_keeps_its_answer(tmp_path: Path) -> None:
    user = made.user(uplink=sent())
    radio = found(tmp_path, user, made.log(), ttis=made.blocks(HALF))
    assert (radio.users[0].received_little, radio.link_is_bottleneck) == (False, True)
    assert radio.users[0].uplink_is_bottleneck is True


@pytest.mark.parametrize(
    ("backlogged_s", "known_s", "bottleneck", "words"),
    [
        (9.7, 10.0, True, "data waited in the phone 97 % of the 10.0 s in which it sent: it was "
         "the bottleneck for 9.7 s"),
        (3.3, 10.0, False, "data waited in the phone 33 % of the 10.0 s in which it sent: not the "
         "bottleneck; for 6.7 s nothing waited in it"),
        (3.0, 6.0, None, "whether it was the bottleneck is unknown: data waited in the phone "
         "between 30 % and 70 % of the 10.0 s in which it sent; too few of its grants show whether "
         "data stayed behind"),
        (0.0, 0.0, None, "whether it was the bottleneck is unknown: the log does not show how much "
         "of its grants the phone filled"),
    ],
)  # fmt: skip
def test_the_uplink_by_the_time_in_which_data_waited(
    tmp_path: Path, backlogged_s: float, known_s: float, bottleneck: bool | None, words: str
) -> None:
    radio, text = of_upload(tmp_path, sent(backlogged_s=backlogged_s, known_s=known_s))
    assert radio.users[0].uplink_is_bottleneck is bottleneck
    assert f"Uplink {words}" in text


def test_what_the_modem_holds_counts_before_its_reports(tmp_path: Path) -> None:
    levels = [
        {"user": 0, "time_ns": made.BEGIN + at * made.MS, "lcg": lcg, "low_bytes": 500 * lcg}
        for at in range(8)
        for lcg in range(4)
    ]
    _, text = of_upload(tmp_path / "levels", sent(), buffer_status=levels)
    assert "8 reports of what waits in the phone: something in 100 % of them" in text
    assert "median at least 3.0 KB" in text, "groups add up"
    held = [
        {"user": 0, "time_ns": made.BEGIN + at * made.MS, "firmware_queue_bytes": at * 1000}
        for at in range(4)
    ]
    _, text = of_upload(tmp_path / "held", sent(), buffer_status=[*levels, *held])
    assert "4 reports of what waits in the phone: something in 75 % of them" in text
    assert "most 3.0 KB" in text


def test_checks_and_refusals_are_reported(tmp_path: Path) -> None:
    refused = "40 records of 0xB126 version 163 refused: the check prbs held in 3 of 20"
    log = made.log(
        checks={
            "0xB139 v124": {"size": {"passed": 990, "failed": 10}},
            "0xB130 v121": {"width": {"passed": 500, "failed": 0}},
        },
        refused=[refused],
        problems=[{"offset": None, "kind": "layout_refused", "text": refused}],
    )
    radio = found(tmp_path, made.user(), log, ttis=made.blocks(HALF))
    text = " ".join(str(radio).replace("\xa0", " ").split())
    assert (
        "2 message layouts agree with the rest of the log in 1 490 of 1 500 checks; "
        "not in 0xB139 v124 size 10 of 1 000" in text
    )
    assert text.count(refused) == 1
    shown = " ".join(words.render(radio, verbose=True).replace("\xa0", " ").split())
    assert "checked: 0xB130 v121 width 500" in shown


def test_passed_checks_are_reported_as_one_number(tmp_path: Path) -> None:
    log = made.log(checks={"0xB139 v124": {"size": {"passed": 990, "failed": 0}}})
    text = " ".join(str(found(tmp_path, made.user(), log, ttis=made.blocks(HALF))).split())
    shown = "1 message layout agrees with the rest of the log in all 990 checks"
    assert shown in text.replace("\xa0", " ")


@pytest.mark.parametrize(
    ("decoded", "failed", "shown"), [(0, 0, False), (2, 0, True), (0, 1, True)]
)
def test_messages_that_the_log_lacks_are_not_listed(
    tmp_path: Path, decoded: int, failed: int, shown: bool
) -> None:
    log = made.log(rrc={"decoding": "pycrate", "decoded": decoded, "failed": failed})
    radio = found(tmp_path, made.user(), log, ttis=made.blocks(HALF))
    assert ("RRC: " in str(radio)) == shown


def test_levels_of_5g_are_not_those_of_the_serving_cell(tmp_path: Path) -> None:
    of_lte = {"user": 0, "serving": True, "time_ns": made.BEGIN, "rsrp_dbm": -90.0}
    of_nr = of_lte | {"serving": None, "rsrp_dbm": -120.0, "source": "0xB97F"}
    cells = [of_lte | {"source": "0xB193"}, of_nr, of_nr]
    radio = found(tmp_path, made.user(), made.log(), ttis=made.blocks(HALF), cells=cells)
    assert "RSRP -90 dBm (-90 to -90)" in str(radio).replace("\xa0", " ")


GOLDEN = """\
Log         phone.qmdl  diag  10.0 s  4 000 records read

Downlink    busy 98 % of the 4.1 s in which the phone received: it was the bottleneck for 4.0 s.

Why         2 bursts, median 2.0 s, longest 3.0 s; while busy the link gave 16.0 Mbps; 200 ms of
              waiting although data were queued
            link demand over the whole log: joint 40 %, burst rule 41 %
            by the burst rule, Throughput Time 4.0 s, Active Time (milliseconds with a block) 4.0 s
            of the milliseconds with a block, 90 % took more than 90 % of the PRBs, 0 % between that
              and 40 % and 10 % less than 40 %
            the burst rule fits this link

Carriers    primary: 8.0 MB in 4 000 milliseconds, cell 5; 50 PRBs, the most seen in one
              millisecond: a lower bound; 2.0 layers on average
            64QAM 100 %

Cells       SINR 10 dB (1 to 18); RSRP -93 dBm (-96 to -90) (median, 5th to 95th percentile)
            1 handover, median 40 ms

Uplink      10.0 KB in 10 milliseconds
            20 reports of what waits in the phone: something in 95 % of them, median at least
              9.5 KB, most at least 19.0 KB

Input       412 records of 0xB173 version 50 not understood, skipped
            skipped: checksum wrong (3)
            unverified: 0xB173 v5 is read by an unverified layout; compare with another tool before
              relying on it
            at byte 123 456: the log ends within a record

Next        give the cell bandwidth: --cell-prbs 50 for 10 MHz, 100 for 20 MHz
            record the packets too and give both (--capture phone.pcap): they show when the queue
              was empty, and what else held the data back
"""


@pytest.fixture
def radio(tmp_path: Path) -> Radio:
    """Return a log with every kind of record."""
    log = made.log(
        not_understood=["412 records of 0xB173 version 50 not understood, skipped"],
        unverified={"0xB173 v5": 3},
        skipped={"checksum wrong": 3},
        problems=[{"offset": 123456, "kind": "cut", "text": "the log ends within a record"}],
    )
    user = made.user(
        prb_totals=[{"carrier": 0, "prbs": 50, "source": "largest_seen"}],
        link_demand={"joint": 0.4, "bursttracker": 0.41, "low": 0.4, "high": 0.4},
    )
    at = [*range(0, 1000), *range(1100, 4100)]
    measured = [
        {"user": 0, "cell": 5, "serving": True, "time_ns": made.BEGIN + n * made.MS}
        | {"sinr_db": float(n % 20), "rsrp_dbm": -90.0 - n % 7}
        for n in range(100)
    ]
    waiting = [
        {"user": 0, "time_ns": made.BEGIN + n * made.MS, "low_bytes": 1000 * n} for n in range(20)
    ]
    moved = {"user": 0, "kind": "handover", "source": "rrc", "start_ns": made.BEGIN}
    return found(
        tmp_path, user, log,
        ttis=[
            *made.blocks(at, layers=2, modulation="64QAM"),
            *made.blocks(range(10), direction="uplink", tbs_bytes=1000),
        ],
        bursts=[made.burst(0, 1000), made.burst(1100, 3000, contention_ms=200)],
        cells=measured,
        handovers=[moved | {"end_ns": made.BEGIN + 40 * made.MS}],
        buffer_status=waiting,
    )  # fmt: skip


def test_the_whole_answer_for_people(radio: Radio) -> None:
    assert words.render(radio, kept=False) + "\n" == GOLDEN


def test_the_same_for_programs(radio: Radio) -> None:
    document = json.loads(words.json(radio))
    assert document["schema"] == 1
    assert document["link_is_bottleneck"] is True
    (user,) = document["users"]
    assert user["busy_ratio"] == pytest.approx(4.0 / 4.1, rel=1e-3)
    assert user["bursts"]["bursts"] == 2
    assert user["link_demand"]["bursttracker"] == 0.41
    assert document["logs"][0]["not_understood"] == [
        "412 records of 0xB173 version 50 not understood, skipped"
    ]


def test_markdown_has_the_same_sections(radio: Radio) -> None:
    text = words.markdown(radio)
    assert [line[4:] for line in text.splitlines() if line.startswith("### ")] == [
        "Log", "Downlink", "Why", "Carriers", "Cells", "Uplink", "Input", "Next",
    ]  # fmt: skip
