"""The counts of callgrind, added up by crate and module (``benches/callgrind.py``)."""

from __future__ import annotations

from collections import Counter

from benches import callgrind
from benches.count import changes

FILE = """version: 1
positions: instr
events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw

ob=(1) /lib/libc.so.6
fn=(1) memcpy
0x10 5 1 1 0 2 1
ob=(2) /bin/tool
fn=(2) main
0x10 3
cob=(1)
cfn=(1)
calls=1 0x10
0x14 5 1 1 0 2 1
0x14 7 0 0 1
ob=(1)
fn=(1)
0x10 5
"""


def test_calls_are_left_out_and_names_are_remembered() -> None:
    profile = callgrind.parse(FILE.splitlines(keepends=True))
    assert {name: sorted(costs) for name, costs in profile.objects.items()} == {
        "/lib/libc.so.6": [0x10],
        "/bin/tool": [0x10, 0x14],
    }
    assert profile.totals() == Counter(instructions=20, i1_misses=1, d1_misses=3, ll_misses=0)
    by_room = callgrind.rooms(profile)
    assert by_room["[libc]"]["instructions"] == 10
    assert by_room["[tool]"]["instructions"] == 10


def test_library_code_is_booked_on_the_innermost_frame_of_ours() -> None:
    frames = """/rustc/1/library/core/src/option.rs:10:5
/src/crates/types/src/time.rs:40:9
/src/crates/track/src/scoreboard/window.rs:12:3
/src/crates/track/src/tracker/mod.rs:8:1"""
    assert callgrind._room(frames, "room") == "track/scoreboard"
    assert callgrind._room(frames, "file") == "track/scoreboard/window"
    assert callgrind._room(frames, "line") == "track/scoreboard/window:12"
    alone = "/src/crates/types/src/time.rs:40:9"
    assert callgrind._room(alone, "room") == "types/time"
    assert callgrind._room("/rustc/1/library/core/src/option.rs:10:5", "room") is None
    assert (
        callgrind._room("/rustc/1/library/stdarch/crates/core_arch/src/x86.rs:1:1", "room") is None
    )


def test_a_room_is_named_from_two_per_cent_of_the_total_on() -> None:
    before = {"total": 1000.0, "a": 500.0, "b": 480.0, "c": 20.0}
    now = {"total": 1020.0, "a": 521.0, "b": 480.0, "d": 19.0}
    assert changes(before, now) == {"a": 21.0}
    assert changes(before, {**now, "d": 45.0}) == {"d": 45.0, "a": 21.0}
