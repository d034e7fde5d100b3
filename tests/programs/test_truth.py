"""The truth of programs: system calls, quiet times, margins and judgements, from made-up logs."""

from __future__ import annotations

from typing import cast

from tests.everyday.states import States
from tests.everyday.streams import Connection
from tests.programs import judging, quiet, tracing, truth
from tests.programs.kinds import cases
from tests.programs.program import Traits
from tests.programs.quiet import Moving, Quiet
from tests.programs.spans import AtTap, Labelled, Talk
from tests.programs.tracing import Io
from tests.recorded.packets import ACK, SYN, Packet
from tests.taps.said import Claim

MS = 1_000_000


def test_a_call_on_a_connection_of_the_phone_counts() -> None:
    line = (
        '1700000000.000250 sendto(3<TCP:[10.73.9.2:40000->10.73.0.2:80]>, ""..., 80, 0, NULL, 0)'
        " = 80 <0.000075>"
    )
    start = 1_700_000_000_000_250_000
    assert tracing.io_of(line) == Io(40000, True, start, start + 75_000, 80)
    mapped = "TCPv6:[[::ffff:10.73.0.2]:443->[::ffff:10.73.9.2]:40000]"
    read = f'1700000000.000250 read(7<{mapped}>, ""..., 8192) = 5 <0.100000>'
    assert tracing.io_of(read) == Io(40000, False, start, start + 100 * MS, 5)


def test_other_calls_do_not_count() -> None:
    connection = "3<TCP:[10.73.9.2:40000->10.73.0.2:80]>"
    for line in (
        f'1.000000 recvfrom({connection}, ""..., 1, MSG_PEEK, NULL, NULL) = 1 <0.000001>',
        f"1.000000 recvfrom({connection}, 0x7f, 1, 0, NULL, NULL) = -1 EAGAIN (no) <0.000001>",
        f'1.000000 read({connection}, ""..., 8192) = 0 <0.000001>',
        '1.000000 read(4</tmp/file>, ""..., 8192) = 5 <0.000001>',
    ):
        assert tracing.io_of(line) is None


def io(wrote: bool, start_ms: int, size: int, took_ms: int = 0) -> Io:
    return Io(1, wrote, start_ms * MS, (start_ms + took_ms) * MS, size)


def test_a_quiet_time_lasts_from_the_last_read_to_the_next_write() -> None:
    phone = [io(True, 0, 100), io(False, 5, 50, 75), io(True, 200, 10)]
    server = [io(False, 0, 100, 20), io(True, 60, 50), io(False, 210, 10)]
    parts = quiet.of(phone, server)
    assert [part for part in parts if isinstance(part, Quiet)] == [
        Quiet(20 * MS, 60 * MS, "server", "server", 100, 0),
        Quiet(80 * MS, 200 * MS, "phone", "phone", 100, 50),
    ]
    moved = [(each.up, each.down) for each in parts if isinstance(each, Moving)]
    assert moved == [((0, 100), (0, 0)), ((100, 100), (0, 50)), ((100, 110), (50, 50))]


def test_nothing_is_quiet_while_bytes_are_unread() -> None:
    phone = [io(True, 0, 100), io(True, 500, 100)]
    server = [io(False, 1, 60), io(False, 600, 140)]
    assert not [part for part in quiet.of(phone, server) if isinstance(part, Quiet)]


class NoQueue:
    """A link without a queue, whose senders are never asked for."""

    def of(self, *_: object) -> list[object]:
        return []


def passing(*passed: tuple[int, bool, int, int]) -> Connection:
    """Give a connection by the time, the direction, the sequence number and the payload."""
    seen = Connection(1, 80)
    for start_ms, up, seq, size in passed:
        flags = ACK if size else SYN
        seen.add(Packet(start_ms * MS, 0, up, 1, 80, seq, 1, flags, 100, size))
    return seen


def spans_of(
    phone: list[Io],
    server: list[Io],
    seen: Connection,
    traits: Traits,
    there: Connection | None = None,
) -> list[Labelled]:
    talk = Talk(
        port=1,
        calls={"phone": phone, "server": server},
        parts=quiet.of(phone, server),
        places={"ue": seen, "server": there or seen},
        loop_ns=40 * MS,
    )
    return list(AtTap("ue", talk, traits, cast(States, NoQueue())).spans())


def test_a_wait_is_the_path_and_then_the_server() -> None:
    phone = [io(True, 0, 100), io(False, 5, 50, 75), io(True, 200, 10)]
    server = [io(False, 0, 100, 20), io(True, 60, 50), io(False, 210, 10)]
    seen = passing((-9, True, 0, 0), (-5, False, 0, 0), (1, True, 1, 100), (80, False, 1, 50))
    there = passing((-8, True, 0, 0), (-7, False, 0, 0), (18, True, 1, 100), (60, False, 1, 50))
    assert spans_of(phone, server, seen, Traits(), there) == [
        ((40 * MS, 80 * MS), "server_thinks"),
        ((1 * MS, 40 * MS), "transit"),
    ]
    pushed = spans_of(phone, server, seen, Traits(answers=False), there)
    assert pushed == [((40 * MS, 60 * MS), "silent")]


def test_a_write_that_leaves_late_was_held() -> None:
    phone = [io(True, 0, 100), io(True, 1, 50)]
    server = [io(False, 30, 100), io(False, 90, 50)]
    seen = passing((-9, True, 0, 0), (0, True, 1, 100), (60, True, 101, 50))
    assert spans_of(phone, server, seen, Traits()) == [((1 * MS, 60 * MS), "held")]


def test_bytes_that_a_timer_sent_again_waited_for_it() -> None:
    phone, server = [io(True, 0, 100)], [io(False, 330, 100)]
    seen = passing((-9, True, 0, 0), (0, True, 1, 100), (300, True, 1, 100))
    assert spans_of(phone, server, seen, Traits()) == [((0, 300 * MS), "timer")]


def test_borders_are_not_scored() -> None:
    spans = [((0, 300 * MS), "server_thinks"), ((200 * MS, 1000 * MS), "silent")]
    assert truth.scored(spans, 20 * MS) == [
        ((20 * MS, 280 * MS), "server_thinks"),
        ((320 * MS, 980 * MS), "silent"),
    ]


def test_either_of_two_limits_is_right_near_their_border() -> None:
    spans = [((0, 1000 * MS), "link"), ((1000 * MS, 2000 * MS), "receive_window")]
    found = truth.scored(spans, 0)
    either = [span for span, label in found if label == "link|receive_window"]
    assert (either[0][0], either[-1][1]) == (900 * MS, 1100 * MS)
    assert {label for span, label in found if span[1] <= 900 * MS} == {"link"}
    assert {label for span, label in found if span[0] >= 1100 * MS} == {"receive_window"}


def test_time_is_right_open_wrong_or_wrong_and_sure() -> None:
    spans = [((0, 400), "server_thinks")]
    slices = [
        ((0, 100), Claim("sender_app")),
        ((100, 200), Claim("undetermined", "open")),
        ((200, 300), Claim("round_trip", "likely", ("sender_app",))),
        ((300, 400), Claim("round_trip")),
    ]
    said = [each.judgement for each in judging.judged(spans, slices)]
    assert said == list(judging.JUDGEMENTS)


def test_a_headline_is_wrong_if_its_cause_was_possible_for_a_shorter_time() -> None:
    spans = [((0, 100), "server_thinks"), ((110, 150), "transit"), ((150, 900), "silent")]
    counted = [(0, 150)]
    inside = judging.cut(spans, counted[0])
    assert judging.headline(inside, counted, Claim("sender_app")) == judging.RIGHT
    assert judging.headline(inside, counted, Claim("round_trip")) == judging.WRONG_SURE
    assert judging.headline(inside, counted, Claim("undetermined", "open")) == judging.OPEN


def test_a_wait_is_compared_where_a_transfer_has_one() -> None:
    waits = [{"request_end_ns": str(at), "server_wait_ns": "5000000"} for at in (10, 110, 120)]
    transfers = [
        {"request_ns": 5, "end_ns": 50, "server_wait_ms": 7.0},
        {"request_ns": 100, "end_ns": 200, "server_wait_ms": 9.0},
    ]
    assert list(judging.wait_errors(waits, transfers)) == [(5.0, 7.0)]


def test_runs_of_all_seeds_have_names_of_their_own() -> None:
    names = [case.run.name for seed in (1, 2) for case in cases(seed)]
    assert len(set(names)) == len(names) > 100
