"""One error before the first run of a campaign names everything that is missing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from airmile import OutputError, _capabilities
from airmile.campaign import find, requirements
from airmile.campaign.drive import Drive, check
from airmile.campaign.folder import Place
from airmile.cli import run as cli_run
from airmile.testbed.hosts import clang, programs, rights
from airmile.testbed.run import campaign

HIDDEN = ("iptables", "iperf3", "ping")


@pytest.fixture
def hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave only three programs in PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("tcpdump", "unshare", *clang.PROGRAMS):
        (folder / name).symlink_to("/bin/true")
    monkeypatch.setattr(programs, "PATH", str(folder))
    monkeypatch.setattr(clang, "packages", list)
    monkeypatch.setattr(clang, "has_types", lambda: True)
    monkeypatch.setattr(rights, "check", lambda: None)


def experiments(*names: str):  # type: ignore[no-untyped-def]
    trials = [trial for name in names for trial in find(name).trials(quick=True)]
    return list({trial.arm.name: trial.experiment() for trial in trials}.values())


def test_one_error_names_all_that_is_missing(tmp_path: Path, hidden: None) -> None:
    wanted = experiments("hwy18", "bt19-ports", "bt19-scheduler")
    with pytest.raises(OutputError) as raised:
        requirements.check(wanted, tmp_path / "x", 10**18)
    assert "iperf3, iptables and ping are not installed" in raised.value.message
    assert "the runs need some" in raised.value.message
    assert raised.value.hint is not None
    assert "sudo apt-get install -y iperf3 iptables iputils-ping" in raised.value.hint


@pytest.mark.parametrize(
    ("name", "lacks"),
    [("hwy18", "ping is"), ("bt19-ports", "iptables is"), ("bt19-scheduler", "iperf3 is")],
)
def test_a_campaign_names_what_its_own_runs_need(
    tmp_path: Path, hidden: None, name: str, lacks: str
) -> None:
    with pytest.raises(OutputError, match=f"(?m)^{lacks} not installed$"):
        requirements.check(experiments(name), tmp_path, 1)


def test_nothing_is_run_and_nothing_made_before_the_check(
    tmp_path: Path,
    hidden: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(campaign, "run", lambda *_: pytest.fail("a run was begun"))
    out = tmp_path / "x"
    assert cli_run(["testbed", "campaign", "hwy18", "--quick", "-o", str(out)]) == 5
    said = capsys.readouterr().err
    assert "ping is not installed" in said
    assert "sudo apt-get install -y iputils-ping" in said
    assert not out.exists()


def test_all_campaigns_are_checked_before_the_first_run_of_any(
    tmp_path: Path,
    hidden: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(campaign, "run", lambda *_: pytest.fail("a run was begun"))
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(1, 1, 0))
    out = tmp_path / "x"
    assert cli_run(["testbed", "campaign", "all", "--quick", "-o", str(out)]) == 5
    said = capsys.readouterr().err
    assert said.count("error:") == 1
    assert "iperf3, iptables and ping are not installed" in said
    assert "the runs need some" in said
    assert not out.exists()


def test_a_package_that_plans_need_is_named_with_all_else(
    tmp_path: Path,
    hidden: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Without scipy no plan can be made, so what is missing is asked before any."""
    monkeypatch.setattr(Drive, "plan", property(lambda _: pytest.fail("a plan was made")))
    monkeypatch.setattr(requirements, "PACKAGES", {"airmile_no_such": "scipy>=1.13,<2"})
    for name in ("hwy18", "all"):
        out = tmp_path / name
        assert cli_run(["testbed", "campaign", name, "--quick", "-o", str(out)]) == 5
        said = capsys.readouterr().err
        assert said.count("error:") == 1
        assert "ping" in said
        assert "Python lacks airmile_no_such" in said
        assert "pip install 'scipy>=1.13,<2'" in said


def test_missing_capabilities_are_named_beside_the_programs(
    tmp_path: Path, hidden: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_capabilities, "effective", lambda: ~(1 << rights.NET_ADMIN))
    monkeypatch.setattr(rights, "check", lambda: rights.require("a run"))
    with pytest.raises(OutputError) as raised:
        requirements.check(experiments("hwy18"), tmp_path, 1)
    assert raised.value.message == "a run needs CAP_NET_ADMIN; ping is not installed"


def test_westwood_needs_what_compiles_it(
    tmp_path: Path, hidden: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clang, "has_types", lambda: False)
    trials = {trial.arm.name: trial for trial in find("eff14").trials()}
    wanted = [trials["4g-B-westwood"].experiment()]
    with pytest.raises(OutputError, match=r"BTF.*without which westwood cannot be loaded"):
        requirements.check(wanted, tmp_path, 1)
    requirements.check([trials["4g-B-cubic"].experiment()], tmp_path, 1)


def test_one_error_names_the_compiler_and_the_headers_that_it_needs(
    tmp_path: Path, hidden: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Headers that lack were named only after the compiler had been installed."""
    for name in clang.PROGRAMS:
        (tmp_path / "bin" / name).unlink()
    monkeypatch.setattr(clang, "packages", lambda: [clang.HEADERS])
    monkeypatch.setattr(clang, "has_types", lambda: False)
    with pytest.raises(OutputError) as raised:
        requirements.check(experiments("lte13-slow-start", "hwy18"), tmp_path / "x", 10**18)
    assert "bpftool, clang, ping and libbpf-dev are not installed" in raised.value.message
    assert "cannot be loaded" in raised.value.message
    assert "the runs need some" in raised.value.message
    assert raised.value.hint is not None
    assert "sudo apt-get install -y bpftool clang iputils-ping libbpf-dev" in raised.value.hint


def test_a_finished_campaign_needs_nothing(
    tmp_path: Path, hidden: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No rights are needed to write the page of finished runs again."""
    drive = Drive(Place("hwy18", tmp_path), find("hwy18"), quick=True)
    for trial in drive.trials:
        drive.place.run(trial).mkdir(parents=True)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: pytest.fail("the disk was asked"))
    check([drive])
    assert drive.missing == []
