"""`airmile study`: prints numbers, and writes pictures and tables on request."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Airmile
from tests.support.made import burst, campaign, flow, tti, write


@pytest.fixture
def modem(tmp_path: Path) -> Path:
    """Return a dataset with allocations and a burst, without a capture."""
    ttis = [tti(ms, 50) for ms in range(39)] + [tti(39, 30), tti(40, 10)]
    return write(tmp_path / "modem.airmile", ttis=ttis, bursts=[burst(0, 40)])


def test_numbers_are_shown_beside_those_of_the_paper(airmile: Airmile, modem: Path) -> None:
    said = airmile("study", "bt19", modem)
    assert said.code == 0, said.err
    line = next(line for line in said.out.splitlines() if "above 90 %" in line)
    assert line.split() == ["above", "90", "%", "of", "the", "PRBs", "95", "%", "35", "%"]
    assert "\nNot from these data\n" in said.out
    assert "fig6" in said.out and "no table 'transfers'" in said.out


def test_one_table_in_a_format(airmile: Airmile, modem: Path) -> None:
    said = airmile("study", "bt19", modem, "--figure", "fig4", "--format", "csv")
    assert said.code == 0, said.err
    assert said.out.splitlines()[:2] == [
        '"prb_share","milliseconds","cumulative_ratio","prb_total_source"',
        '0.2,1,0.024390243902439025,"mib"',
    ]


def test_pictures_of_all_and_of_one(airmile: Airmile, modem: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert airmile("study", "bt19", modem, "-o", "out").code == 0
    names = {path.name for path in (tmp_path / "out").iterdir()}
    drawn = {f"fig{n}.{kind}" for n in (3, 4, 5) for kind in ("png", "csv")}
    assert names == {*drawn, "numbers.csv"}
    said = airmile("study", "bt19", modem, "--figure", "fig4", "-o", "one.svg")
    assert said.code == 0 and (tmp_path / "one.svg").read_text().startswith("<?xml")


def test_a_page_and_a_folder_come_from_one_command(
    airmile: Airmile, modem: Path, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    said = airmile("study", "bt19", modem, "--page", "page.html", "-o", "out")
    assert said.code == 0
    named = next(line for line in said.out.splitlines() if line.startswith("bt19: "))
    assert " exhibits: " in named and named.rpartition(": ")[2].split(", ").count("fig4") == 1
    assert (tmp_path / "page.html").exists() and (tmp_path / "out" / "fig4.png").exists()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--figure", "fig99"], "bt19 has no figure or table 'fig99'"),
        (["--figure", "fig6"], "no table 'transfers'"),
        (["--format", "csv"], "prints only one table"),
        (["-o", "all.png"], "one picture for all figures"),
        (["--figure", "fig4", "-o", "x.gif"], "no picture format '.gif'"),
        (["fig4"], "choose the figure by --figure fig4"),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_do(
    airmile: Airmile, modem: Path, words: list[str], complaint: str
) -> None:
    said = airmile("study", "bt19", modem, *words)
    assert (said.code, said.out) == (2, "")
    assert complaint in said.err and "hint:" in said.err


def test_a_study_may_take_other_samples_and_says_what_they_rest_on(
    airmile: Airmile, tmp_path: Path
) -> None:
    (tmp_path / "drive.csv").write_text("rate_mbps,rtt_ms\n4,40\n6,50\n9,\n")
    said = airmile("study", "eff14", "drive.csv")
    assert said.code == 0, said.err
    assert "drive.csv: 3 rates, 2 RTTs" in said.out
    assert "no round trip under load" in said.out.split("Not from these data")[1]
    notes = said.out.split("\nNotes\n")[1]
    assert notes.count("log-normal") == 1 and "approximation" in notes
    one = airmile("study", "eff14", "eff14-4g", "--figure", "fig3")
    assert one.code == 0 and "\nNotes\n" in one.out
    none = airmile("study", "eff14", "nowhere")
    assert none.code == 2 and "eff14-3.5g" in none.err and "lte13, eff14" in none.err


def test_a_dataset_that_gives_nothing_and_none_at_all(airmile: Airmile, tmp_path: Path) -> None:
    write(tmp_path / "empty.airmile", ttis=[])
    said = airmile("study", "bt19", "empty.airmile")
    assert said.code == 2 and "none of its figures" in said.err and "hint:" in said.err
    assert airmile("study", "bt19", "missing.airmile").code == 3
    assert airmile("study", "nn99", "empty.airmile").code == 2


def test_with_figure_the_output_is_a_picture_also_beside_a_page(
    airmile: Airmile, modem: Path, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    command = ("study", "bt19", modem, "--figure", "fig4", "--page", "p.html")
    said = airmile(*command, "-o", "fig4.png")
    assert said.code == 0 and "picture: fig4.png" in said.err
    assert (tmp_path / "fig4.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "p.html").exists()
    refused = airmile(*command, "-o", "folder")
    assert refused.code == 2 and "no picture format" in refused.err


@pytest.mark.parametrize("more", [(), ("--page", "p.html")], ids=str)
@pytest.mark.parametrize("name", ["bt19", "all"])
def test_without_any_figure_nothing_is_announced_and_the_exit_code_is_2(
    airmile: Airmile, tmp_path: Path, name: str, more: tuple[str, ...]
) -> None:
    write(tmp_path / "empty.airmile", ttis=[])
    said = airmile("study", name, "empty.airmile", "-o", "out", *more)
    assert said.code == 2 and "pictures and tables" not in said.err
    assert not (tmp_path / "out").exists()
    assert "none of" in said.err and "hint:" in said.err
    assert (tmp_path / "p.html").exists() == bool(more)


def test_tables_name_their_dataset_where_another_gives_none(
    airmile: Airmile, modem: Path, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    write(tmp_path / "empty.airmile", ttis=[])
    said = airmile("study", "bt19", modem, "empty.airmile", "-o", "out")
    assert said.code == 0, said.err
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert "fig4-modem.csv" in names and "fig4.csv" not in names


def test_a_figure_is_of_one_paper(airmile: Airmile, modem: Path) -> None:
    said = airmile("study", "all", modem, "--figure", "fig3")
    assert said.code == 2 and "name the paper" in said.err


def test_a_name_that_ends_in_html_is_a_page(airmile: Airmile, modem: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    said = airmile("study", "bt19", modem, "-o", "x.html")
    assert said.code == 0, said.err
    assert (tmp_path / "x.html").read_text().startswith("<!doctype html>")
    # A command on the page has no path that only this machine has.
    assert str(tmp_path) not in (tmp_path / "x.html").read_text()
    one = airmile("study", "bt19", modem, "--figure", "fig4", "-o", "one.html")
    assert one.code == 0 and 'id="bt19-fig4"' in (tmp_path / "one.html").read_text()
    both = airmile("study", "bt19", modem, "-o", "x.html", "--page", "y.html")
    assert both.code == 2 and "two pages" in both.err


def runs_of_two_arms(path: Path) -> None:
    own = {"flows": [flow(1, quality="")]}
    campaign(path / "runs", **{"cubic-1": own, "cubic-2": own, "bbr-1": own})


def test_one_arm_is_chosen_by_its_name(airmile: Airmile, tmp_path: Path) -> None:
    runs_of_two_arms(tmp_path)
    command = ("study", "lte13", "runs", "--figure", "fig2", "--format", "csv")
    several = airmile(*command)
    assert several.code == 2 and "several arms: cubic, bbr" in several.err
    assert "--arm NAME" in several.err
    own = airmile(*command, "--arm", "bbr")
    assert own.code == 0 and '"downlink",1,' in own.out
    wrong = airmile(*command, "--arm", "reno")
    assert wrong.code == 2 and "it has cubic, bbr" in wrong.err


@pytest.mark.parametrize("name", ["fig2", "numbers"])
def test_the_text_has_a_column_for_each_arm(airmile: Airmile, tmp_path: Path, name: str) -> None:
    runs_of_two_arms(tmp_path)
    said = airmile("study", "lte13", "runs", "--figure", name)
    head = said.out.splitlines()[1].split()
    assert head == ["cubic", "n", "bbr", "n", "published"]
