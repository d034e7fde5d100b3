"""The script of all campaigns, and the sum of their outcomes (tools.campaigns)."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from airmile.campaign import find, names
from airmile.campaign.design import expected_s
from tools.campaigns import LONGEST_S, OUTCOMES, forms, outcomes, script


def test_campaigns_below_an_hour_are_run_as_a_whole_and_the_others_in_their_short_form() -> None:
    every = list(forms())
    assert sorted(each.name for each in every) == names()
    for name, quick, takes_s in every:
        assert quick == (expected_s(find(name).trials()) > LONGEST_S)
        assert takes_s == expected_s(find(name).trials(quick=quick))
    assert 3.5 < sum(each.takes_s for each in every) / 3600 < 4.5


def test_the_script_is_one_of_the_shell_and_names_each_campaign_with_its_time(
    tmp_path: Path,
) -> None:
    called = tmp_path / "airmile"
    called.write_text('#!/bin/sh\necho "$@"\nexit 1\n')
    called.chmod(0o755)
    shell = shutil.which("sh")
    assert shell is not None
    lines = "\n".join(script("out"))
    done = subprocess.run(
        [shell], input=lines, env={"AIRMILE": str(called)}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    said = done.stdout.splitlines()
    assert done.stderr == ""
    assert sorted(line.split()[2] for line in said) == names()
    assert "testbed campaign hwy18 --quick --wait 30 -q -o out/campaign-hwy18-quick" in said
    assert "testbed campaign up16 --wait 30 -q -o out/campaign-up16" in said
    assert "-o out/campaign-up16  # 13 min" in lines


def test_outcomes_are_summed_by_campaign(tmp_path: Path) -> None:
    for name, own in {"up16": ["not", "set", "set"], "hwy18": ["reproduced", "set"]}.items():
        folder = tmp_path / f"campaign-{name}"
        folder.mkdir()
        runs = {"finished": 12, "left_out": {"a-1": "late"}}
        found = {"campaign": name, "quick": name == "hwy18", "runs": runs}
        found["statements"] = [{"outcome": each} for each in own]
        (folder / "results.json").write_text(json.dumps(found))
    head, *rows = outcomes(tmp_path)
    assert [each for each in OUTCOMES if each not in head] == []
    assert [" ".join(row.split()) for row in rows] == [
        "hwy18-quick 1 1 12 1", "up16 1 2 12 1", "in all 1 1 3",
    ]  # fmt: skip
