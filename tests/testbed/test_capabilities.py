"""What a run needs is decided by capabilities, and root is never told to become root."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from airmile import OutputError, _capabilities
from airmile.doctor import machine
from airmile.testbed.hosts import leftovers, rights
from airmile.testbed.run import campaign

EVERY = (1 << 41) - 1
"""The mask of root of a machine."""

NET_ADMIN = 1 << rights.NET_ADMIN


def test_root_without_a_capability_is_told_how_a_container_gets_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_capabilities, "effective", lambda: EVERY & ~NET_ADMIN)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(OutputError) as raised:
        rights.check()
    assert raised.value.message == "a run needs CAP_NET_ADMIN"
    assert raised.value.hint is not None
    assert "docker run --cap-add NET_ADMIN --device /dev/net/tun" in raised.value.hint
    assert "sudo" not in raised.value.hint


def test_another_user_is_told_to_use_sudo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_capabilities, "effective", lambda: 0)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(OutputError, match=r"CAP_NET_ADMIN, .*CAP_SYS_ADMIN") as raised:
        rights.check()
    assert raised.value.hint is not None and "sudo" in raised.value.hint


def test_nothing_is_cleared_away_without_the_capabilities(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_capabilities, "effective", lambda: EVERY & ~NET_ADMIN)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(leftovers, "clean", lambda: pytest.fail("it was tried"))
    assert list(campaign.cleared()) == []


def test_the_doctor_tells_root_without_the_right_to_record_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_capabilities, "effective", lambda: EVERY & ~(1 << rights.NET_RAW))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(shutil, "which", lambda _: sys.executable)
    found = machine._tcpdump()
    assert "root lacks CAP_NET_RAW" in found.found
    assert found.advice is not None and "--cap-add NET_RAW" in found.advice


def test_the_shell_asks_the_same_list_before_anything_is_built() -> None:
    """`tools/need` runs the file alone, in an interpreter that cannot import airmile."""
    alone = [sys.executable, "-I", "-S", str(Path(_capabilities.__file__))]
    said = subprocess.run(alone, capture_output=True, text=True, check=False)
    missing = _capabilities.lacking(_capabilities.TESTBED)
    assert said.returncode == int(bool(missing))
    assert all(name in said.stdout for name in missing)
