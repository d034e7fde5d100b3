"""The option --memory: what is refused, what it is by default, and how a shortage is reported."""

from __future__ import annotations

from pathlib import Path

import pytest

import airmile
from airmile import UsageError, _memory
from tests.faults.runs import LINK, run


@pytest.mark.parametrize("size", ["64M", "127M", "1", "0"])
def test_less_than_the_program_needs_is_refused_with_the_least_that_works(
    tmp_path: Path, size: str
) -> None:
    said = run(tmp_path, LINK, "-o", "x.airmile", "--memory", size)
    assert (said.code, said.out) == (2, "")
    assert "the least that works is 128M" in said.err
    assert run(tmp_path, LINK, "-o", "x.airmile", "--memory", "128M").code == 0


@pytest.mark.parametrize("size", ["9223372036854775808", "1e30", "8388608T", "-1", "nan"])
def test_what_no_machine_has_is_refused(tmp_path: Path, size: str) -> None:
    said = run(tmp_path, LINK, "-o", "x.airmile", f"--memory={size}")
    assert (said.code, said.out) == (2, "")
    assert not (tmp_path / "x.airmile").exists()


def test_the_largest_size_makes_a_dataset_that_opens(tmp_path: Path) -> None:
    dataset = airmile.analyze(LINK, out=tmp_path / "x.airmile", memory="8388607T")
    assert airmile.open(dataset.path).manifest["memory_bytes"] == 8_388_607 << 40
    with pytest.raises(UsageError):
        airmile.analyze(LINK, out=tmp_path / "y.airmile", memory=2**63)


def test_a_dataset_does_not_depend_on_what_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    for share in (None, 1, 1 << 30, 1 << 40):
        monkeypatch.setattr(_memory, "default", lambda share=share: share)
        dataset = airmile.analyze(LINK, out=tmp_path / f"{share}.airmile")
        made.append((dataset.path / "manifest.json").read_bytes())
    assert made[0].find(b'"memory_bytes": null') > 0 or b'"memory_bytes":null' in made[0]
    assert len(set(made)) == 1


def system(root: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    return root


MEMINFO = {"proc/meminfo": "MemTotal: 16000000 kB\nMemFree: 1 kB\nMemAvailable: 8000000 kB\n"}


@pytest.fixture(autouse=True)
def _unlimited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_memory, "_limit", lambda: None)


def test_the_default_is_half_of_what_the_machine_has_free(tmp_path: Path) -> None:
    root = system(tmp_path, MEMINFO)
    assert _memory.default(root) == 4_000_000 * 1024
    assert _memory.whole_bytes(root) == 16_000_000 * 1024
    assert _memory.default(tmp_path / "nothing") is None


def test_a_control_group_leaves_less(tmp_path: Path) -> None:
    groups = {
        "proc/self/cgroup": "0::/job/step\n",
        "sys/fs/cgroup/job/step/memory.max": "max\n",
        "sys/fs/cgroup/job/step/memory.current": "5000\n",
        "sys/fs/cgroup/job/memory.max": "1000000\n",
        "sys/fs/cgroup/job/memory.current": "400000\n",
        "sys/fs/cgroup/job/memory.stat": "anon 1\ninactive_file 100000\nactive_file 7\n",
    }
    root = system(tmp_path, MEMINFO | groups)
    assert _memory.free_bytes(root) == 700_000
    assert _memory.whole_bytes(root) == 1_000_000


def test_a_control_group_of_version_1_whose_path_is_that_of_the_host(tmp_path: Path) -> None:
    groups = {
        "proc/self/cgroup": "5:cpu,cpuacct:/docker/abc\n4:memory:/docker/abc\n0::/x\n",
        "sys/fs/cgroup/memory/memory.limit_in_bytes": "2000000\n",
        "sys/fs/cgroup/memory/memory.usage_in_bytes": "2500000\n",
        "sys/fs/cgroup/memory/memory.stat": "total_inactive_file 900000\n",
    }
    assert _memory.free_bytes(system(tmp_path, MEMINFO | groups)) == 400_000


def test_a_limit_of_the_process_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_memory, "_limit", lambda: 300_000)
    assert _memory.default(system(tmp_path, MEMINFO)) == 150_000
