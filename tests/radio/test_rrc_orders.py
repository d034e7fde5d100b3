"""Handover commands, decoded whole, and the reading of their first bits otherwise."""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import airmile
from airmile.verbs import _rrc
from tests.support import diag, rrc

BEGIN_MS = 1_700_000_000_000
PLAIN = "RRC: decoded in part; pip install 'airmile[rrc]' decodes whole messages"

Message = tuple[bool, bool, int, int, bytes]
"""Whether a message is of 5G and uplink, its cell and frequency, and its bytes: one each 10 ms."""


def lte(uplink: bool, cell: int, message: bytes) -> Message:
    return False, uplink, cell, 1800, message


HIDDEN = rrc.lte_order(7, measures=True)
"""A command whose target is after the measurement configuration."""

SECONDARY = ("CellGroupConfig", {"cellGroupId": 1})

EARLIER_DONE_FIRST = [
    lte(False, 1, HIDDEN),
    lte(True, 1, rrc.lte_complete()),
    lte(True, 7, rrc.lte_complete()),
]
"""The completion of an earlier reconfiguration comes before that of the command."""


def read(folder: Path, messages: Iterable[Message]) -> airmile.Dataset:
    """Write a log of these messages and read it."""
    packets = [
        diag.log(
            diag.RRC_NR if nr else diag.RRC_LTE,
            BEGIN_MS + 10 * number,
            (diag.rrc_nr if nr else diag.rrc_lte)(uplink, cell, frequency, message),
        )
        for number, (nr, uplink, cell, frequency, message) in enumerate(messages)
    ]
    (folder / "phone.qmdl").write_bytes(b"".join(packets))
    return airmile.radio(folder / "phone.qmdl", out=folder / "phone.airmile")


def moves(dataset: airmile.Dataset) -> list[tuple[Any, ...]]:
    columns = "start_ns, end_ns, from_cell, from_earfcn, to_cell, to_earfcn, source"
    rows = dataset.sql(f"SELECT {columns} FROM handovers ORDER BY start_ns").to_pylist()
    begin = BEGIN_MS * 10**6
    times = [((row.pop("start_ns") - begin) // 10**6, row.pop("end_ns")) for row in rows]
    ends = [(start, (end - begin) // 10**6) for start, end in times]
    return [(*span, *row.values()) for span, row in zip(ends, rows, strict=True)]


def reading(dataset: airmile.Dataset) -> dict[str, Any]:
    (log,) = dataset.manifest["modem"]
    found: dict[str, Any] = log["rrc"]
    return found


@pytest.fixture
def plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide pycrate."""
    monkeypatch.setitem(sys.modules, "pycrate_asn1dir", None)


@pytest.mark.parametrize(
    ("nr", "message", "order"),
    [
        (False, rrc.lte_order(7), (True, 7, None)),
        (False, rrc.lte_order(7, 6300), (True, 7, 6300)),
        (False, HIDDEN, (True, 7, None)),
        (False, rrc.lte_order(7, 65535, 66486), (True, 7, 66486)),
        (False, rrc.lte_order(7, 65535), (True, None, None)),
        (False, rrc.lte_reconfiguration(), (False, None, None)),
        (True, rrc.nr_order(31, 504990), (True, 31, 504990)),
        (True, rrc.nr_reconfiguration(secondaryCellGroup=SECONDARY), (False, None, None)),
        (False, HIDDEN[:4], None),
        (True, rrc.nr_order(31, 504990)[:9], None),
        (True, rrc.nr_reconfiguration(nonCriticalExtension={"masterCellGroup": b"\xff"}), None),
    ],
    ids=[
        "to a cell of the same frequency",
        "to another frequency",
        "behind what is to be measured",
        "to an EARFCN above 65535",
        "whose extension is missing",
        "no order",
        "of 5G",
        "of a secondary 5G cell",
        "cut",
        "of 5G, cut",
        "of 5G, damaged within its group",
    ],
)
def test_what_a_message_orders(nr: bool, message: bytes, order: tuple[Any, ...] | None) -> None:
    assert _rrc.order(nr, message) == order


def test_whole_messages_show_hidden_targets(tmp_path: Path) -> None:
    dataset = read(tmp_path, EARLIER_DONE_FIRST)
    assert moves(dataset) == [(0, 20, 1, 1800, 7, 1800, "rrc")]
    assert reading(dataset) == {"decoding": "pycrate", "messages": 3, "decoded": 1, "failed": 0}
    assert "RRC: 1 reconfiguration decoded by pycrate\n" in str(dataset.radio)


@pytest.mark.usefixtures("plainly")
def test_without_pycrate_the_first_completion_ends_it(tmp_path: Path) -> None:
    dataset = read(tmp_path, EARLIER_DONE_FIRST)
    assert moves(dataset)[0] == (0, 10, 1, 1800, 1, 1800, "rrc")
    assert reading(dataset) == {"decoding": "plain", "messages": 3, "decoded": 0, "failed": 0}
    assert PLAIN in " ".join(str(dataset.radio).split())


def test_an_extra_that_is_installed_is_not_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as hidden:
        hidden.setitem(sys.modules, "pycrate_asn1dir", None)
        dataset = read(tmp_path, EARLIER_DONE_FIRST)
    said = " ".join(str(dataset.radio).split())
    assert "RRC: decoded in part; analyse the log again for whole messages" in said


def test_both_readings_agree_where_the_bits_show_the_target(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = rrc.lte_order(7, 6300)
    done = (False, True, 7, 6300, rrc.lte_complete())
    messages = [lte(False, 1, order), lte(True, 1, rrc.lte_complete()), done]
    found = []
    for name, hidden in (("whole", False), ("plain", True)):
        (tmp_path / name).mkdir()
        if hidden:
            monkeypatch.setitem(sys.modules, "pycrate_asn1dir", None)
        found.append(moves(read(tmp_path / name, messages)))
    assert found == [[(0, 20, 1, 1800, 7, 6300, "rrc")]] * 2


def test_a_5g_order_is_known_although_the_connection_began_before_the_log(tmp_path: Path) -> None:
    messages = [
        (True, False, 30, 504990, rrc.nr_order(31, 504990)),
        (True, True, 31, 504990, rrc.nr_complete()),
    ]
    assert moves(read(tmp_path, messages)) == [(0, 10, 30, 504990, 31, 504990, "rrc")]


def test_the_first_bits_of_a_damaged_message_are_used(tmp_path: Path) -> None:
    messages = [lte(False, 1, HIDDEN[:4]), *EARLIER_DONE_FIRST[1:]]
    dataset = read(tmp_path, messages)
    assert moves(dataset)[0] == (0, 10, 1, 1800, 1, 1800, "rrc")
    assert reading(dataset)["failed"] == 1
    shown = "RRC: 0 reconfigurations decoded by pycrate; 1 that it could not decode"
    assert shown in " ".join(str(dataset.radio).split())


def test_nothing_of_a_message_is_written(tmp_path: Path) -> None:
    dataset = read(tmp_path, EARLIER_DONE_FIRST)
    # Parquet is compressed, so its values are searched, not its bytes.
    tables = [dataset.sql(f"FROM {table}").to_pylist() for table in dataset.manifest["rows"]]
    assert any(tables)
    written = [repr(tables), json.dumps(dataset.manifest), json.dumps(dataset.radio.to_dict())]
    forms = (HIDDEN.hex(), repr(HIDDEN), repr(list(HIDDEN))[1:-1])
    assert not any(form.lower() in text.lower() for form in forms for text in written)


def test_an_interrupt_within_the_decoder_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(nr: bool) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(_rrc, "_grammar", interrupted)
    with pytest.raises(KeyboardInterrupt):
        read(tmp_path, EARLIER_DONE_FIRST)
    assert airmile.open(tmp_path / "phone.partial.airmile").rows("handovers") > 0


def test_an_interrupt_carries_nothing_of_the_message(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted:
        def from_uper(self, message: bytes) -> None:
            try:
                raise ValueError(message)
            except ValueError:
                raise KeyboardInterrupt from None

    monkeypatch.setattr(_rrc, "_grammar", lambda nr: Interrupted())
    with pytest.raises(KeyboardInterrupt) as caught:
        _rrc.order(False, HIDDEN)
    assert caught.value.__context__ is None
    frames = [frame for frame, _ in traceback.walk_tb(caught.tb)]
    assert not any(HIDDEN in frame.f_locals.values() for frame in frames)


def test_threads_do_not_mix_their_messages() -> None:
    orders = {cell: rrc.lte_order(cell, measures=True) for cell in range(8)}
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(len(orders)) as pool:
            cells = list(orders) * 50
            shown = list(pool.map(lambda cell: _rrc.order(False, orders[cell]), cells))
    finally:
        sys.setswitchinterval(interval)
    assert shown == [(True, cell, None) for cell in cells]


def test_a_log_without_rrc_says_nothing_of_it(tmp_path: Path) -> None:
    (tmp_path / "phone.qmdl").write_bytes(diag.stream([diag.Block(1, 50, 1500)], BEGIN_MS))
    dataset = airmile.radio(tmp_path / "phone.qmdl", out=tmp_path / "phone.airmile")
    assert reading(dataset) is None
    assert "RRC" not in str(dataset.radio)
