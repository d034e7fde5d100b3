"""The campaigns that come with airmile: their orders, counts and settings."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from pathlib import Path

import pytest

from airmile import UsageError
from airmile.campaign import find, known, names, plans
from airmile.campaign.design import expected_s
from airmile.campaign.known import eff14, eff14_model
from airmile.study import EXHIBITS

NAMES = [
    "bt19-accuracy", "bt19-ports", "bt19-qoe", "bt19-scheduler", "eff14", "eff14-model", "hwy18",
    "lte13-bandwidth", "lte13-periodic", "lte13-slow-start", "lte13-tick", "lte13-variation",
    "lte13-window", "up16",
]  # fmt: skip

LONGEST_QUICK_S = 600


def test_the_campaigns_are_the_files_of_the_folder() -> None:
    files = Path(str(known.__file__)).parent.glob("[!_]*.py")
    assert names() == NAMES == sorted(each.stem.replace("_", "-") for each in files)


def test_a_wrong_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError) as raised:
        find("bt19-port")
    assert raised.value.hint == "did you mean 'bt19-ports'?"
    with pytest.raises(UsageError):
        find("_video")


@pytest.mark.parametrize("name", NAMES)
def test_quick_has_fewer_trials_of_the_whole_and_ten_minutes(name: str) -> None:
    campaign = find(name)
    whole, quick = campaign.trials(), campaign.trials(quick=True)
    assert expected_s(quick) <= LONGEST_QUICK_S
    assert quick
    assert len(quick) < len(whole)
    places = {trial: place for place, trial in enumerate(trial.name for trial in whole)}
    assert len(places) == len(whole)
    assert {trial.name for trial in quick} <= set(places)


def test_quick_says_which_arms_it_leaves_out_and_what_it_shortens() -> None:
    assert find("hwy18").shorter() == "The settings of a run are the same."
    assert find("bt19-accuracy").shorter().startswith("2 of 4 arms. The settings")
    assert find("bt19-ports").shorter().startswith("2 of 3 arms. Each video lasts 40 s")
    assert find("bt19-scheduler").shorter() == "Each transfer lasts 8 s in place of a minute."


@pytest.mark.parametrize("name", NAMES)
def test_quick_says_what_it_shortens_and_changes_nothing_else(name: str) -> None:
    campaign = find(name)
    whole = {trial.name: trial.experiment() for trial in campaign.trials()}
    for trial in campaign.trials(quick=True):
        experiment = trial.experiment()
        if campaign.short is None:
            assert experiment == whole[trial.name]
            continue
        assert campaign.short.says
        # A video or transfer lasts less long; the link and the hosts are those of the whole.
        assert replace(experiment, options=whole[trial.name].options) == whole[trial.name]
        assert trial.arm.expected_s < campaign.arms[0].expected_s


@pytest.mark.parametrize("name", NAMES)
def test_ten_minutes_decide_something_where_not_all_is_set(name: str) -> None:
    campaign = find(name)
    for quick in (True, False):
        plan = plans.plan(campaign, campaign.trials(quick=quick), quick=quick)
        all_set = all(each.set_by for each in campaign.statements)
        assert all_set == (name in ("lte13-periodic", "lte13-window"))
        assert bool(plan.family) != all_set


@pytest.mark.parametrize("name", [name for name in NAMES if name != "hwy18"])
def test_ten_minutes_have_a_seed_to_spare_for_some_statement(name: str) -> None:
    campaign = find(name)
    plan = plans.plan(campaign, campaign.trials(quick=True), quick=True)
    spare = [each.seeds - each.least for each in plan.of("tested") if each.least is not None]
    assert not spare or max(spare) > 0


def test_what_restates_a_setting_is_set() -> None:
    counts = {name: sum(bool(each.set_by) for each in find(name).statements) for name in NAMES}
    assert {name: number for name, number in counts.items() if number and name != "hwy18"} == {
        "bt19-scheduler": 1, "eff14": 18, "lte13-periodic": 3, "lte13-slow-start": 1,
        "lte13-tick": 3, "lte13-variation": 3, "lte13-window": 4, "up16": 8,
    }  # fmt: skip
    tested = [each.quantity for each in find("up16").statements if not each.set_by]
    assert tested == [f"{rate} Mbps: RTT_Q over RTT_F, steady" for rate in (2, 8)]


@pytest.mark.parametrize("name", NAMES)
def test_each_arm_is_an_experiment_that_can_be_run(name: str) -> None:
    campaign = find(name)
    firsts = {trial.arm.name: trial for trial in reversed(campaign.trials())}
    assert set(firsts) == {arm.name for arm in campaign.arms}
    for trial in firsts.values():
        experiment = trial.experiment()
        assert experiment.name == trial.name
        assert experiment.link["seed"] == trial.seed
        assert trial.arm.expected_s <= experiment.longest_s


@pytest.mark.parametrize("name", NAMES)
def test_statements_ask_arms_and_datasets_that_there_are(name: str) -> None:
    from fnmatch import fnmatchcase

    campaign = find(name)
    assert set(campaign.exhibits) <= set(EXHIBITS[campaign.study])
    assert campaign.statements
    for each in campaign.statements:
        of_group = [arm.name for arm in campaign.arms if arm.group == each.group]
        assert any(fnmatchcase(arm, each.arms) for arm in of_group), each.quantity
        paired = each.estimator in ("difference", "ratio", "change")
        assert paired == bool(each.against), each.quantity
        assert not paired or any(fnmatchcase(arm, each.against) for arm in of_group)
        assert each.section.split()[0] in ("section", "sections", "table", "figure")


def test_eff14_is_abcdabcdabcda_in_each_of_three_networks() -> None:
    trials = find("eff14").trials()
    letters = [trial.arm.name.split("-")[:2] for trial in trials]
    runs = ["".join(letter for _, letter in own) for _, own in groupby(letters, lambda of: of[0])]
    assert [next(iter(own))[0] for _, own in groupby(letters, lambda of: of[0])] == [
        "3g", "3.5g", "4g",
    ]  # fmt: skip
    for run in runs:
        assert "".join(letter for letter, _ in groupby(run)) == "ABCDABCDABCDA"
    counts = {letter: sum(own == letter for _, own in letters) for letter in "ABCD"}
    # 4 x 3 x 3 long flows; 3 x 10 x 3 short flows alone, and 3 x 10 x 9 beside 1 and 5 flows.
    assert counts == {"A": 3 * 36, "B": 3 * 90, "C": 3 * 270, "D": 3 * 270}
    assert counts["B"] + counts["C"] + counts["D"] > 1800


def test_eff14s_controls_meet_the_same_links_one_after_the_other() -> None:
    trials = find("eff14").trials()
    ofs = [(t.arm.name.split("-")[0], t.arm.name.split("-")[1], t.seed) for t in trials]
    together = [len(list(own)) for _, own in groupby(ofs)]
    assert set(together) == {3, 9}
    seeds = {
        letter: {t.seed for t in trials if t.arm.name.startswith(f"3g-{letter}-")}
        for letter in "ABCD"
    }
    assert seeds["B"] == seeds["C"] == seeds["D"] == set(range(1, 31))
    assert seeds["A"] == set(range(eff14.LONG_SEEDS + 1, eff14.LONG_SEEDS + 13))


def test_eff14s_runs_are_as_long_and_as_large_as_the_papers() -> None:
    trials = {trial.arm.name: trial for trial in find("eff14").trials()}
    long = trials["4g-A-westwood"].experiment()
    assert long.options["seconds"] == 180
    beside = trials["3.5g-D-reno-westwood"].experiment()
    assert beside.routes["server"]["congestion_control"] == "reno"
    assert beside.routes["server"]["initial_window"] == 10
    assert beside.background[0].options["flows"] == 5
    assert beside.background[0].options["congestion_control"] == "westwood"


def test_eff14_models_arms_switch_off_one_effect_each_at_the_same_round_trip() -> None:
    first = {trial.arm.name: trial.experiment() for trial in find("eff14-model").trials()[:6]}
    link = first["link"]
    harq, grants, hystart = (first[f"link-no-{name}"] for name in ("harq", "grants", "hystart"))
    assert {way: link.link[way]["harq"]["failure"] for way in ("downlink", "uplink")} == {
        "downlink": 0.1, "uplink": 0.1
    }  # fmt: skip
    assert [harq.link[way]["harq"]["failure"] for way in ("downlink", "uplink")] == [0, 0]
    assert (harq.link["uplink"]["grants"], harq.routes) == (
        link.link["uplink"]["grants"],
        link.routes,
    )
    assert (hystart.link, hystart.routes["server"]["congestion_control"]) == (link.link, "reno")
    assert (grants.link["downlink"], grants.routes) == (link.link["downlink"], link.routes)
    assert grants.link["uplink"]["grants"] is None
    # From the next opportunity for a request, 0 to 9 ms away, to the TTI of the grant.
    preset = link.link["uplink"]["grants"]
    wait_ms = (preset["request_period_ms"] - 1) / 2 + preset["answer_ms"] + preset["delay_ttis"]
    added = grants.link["path_uplink"]["delay_ms"] - link.link["path_uplink"]["delay_ms"]
    assert added == eff14_model.GRANT_MS == wait_ms
    wired = first["link-wired"]
    assert (wired.link["downlink"], wired.routes) == (harq.link["downlink"], hystart.routes)
    assert wired.link["uplink"] == {**harq.link["uplink"], "grants": None}


def test_eff14_models_flows_have_all_sizes_and_a_known_window() -> None:
    for trial in find("eff14-model").trials(quick=True):
        experiment = trial.experiment()
        sizes = [step["least_bytes"] for step in experiment.options["steps"]]
        assert sizes == [1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6]
        assert experiment.routes["server"]["initial_window"] == 10


def test_hwy18_is_forty_iterations_in_six_drives_and_rotates_its_controls() -> None:
    trials = find("hwy18").trials()
    assert len(trials) == 40 * 6 * 3
    iterations = [list(own) for _, own in groupby(trials, lambda trial: trial.seed)]
    assert len(iterations) == 240
    assert {len(own) for own in iterations} == {3}
    assert [own[0].arm.name for own in iterations[:4]] == ["bbr", "cubic", "cubic3.19", "bbr"]
    steps = iterations[0][0].experiment().options["steps"]
    assert [(step["name"], step.get("count"), step.get("bytes")) for step in steps] == [
        ("ping", 3, None), ("bulk_download", None, 20_000_000),
    ]  # fmt: skip
    assert steps[0]["pause_s"] == 3


def test_the_others_have_as_many_runs_as_the_papers() -> None:
    counts = {name: {arm.name: 0 for arm in find(name).arms} for name in NAMES if name != "eff14"}
    for name, own in counts.items():
        for trial in find(name).trials():
            own[trial.arm.name] += 1
    files = [counts["bt19-accuracy"][f"file-{radio}"] for radio in ("fair", "poor")]
    assert sum(files) == 100
    assert set(counts["bt19-ports"].values()) == {25}
    assert set(counts["bt19-qoe"].values()) == {20}
    assert counts["lte13-bandwidth"] == {"download": 30}
    assert len(counts["lte13-variation"]) == 10


def test_the_guide_names_each_campaign_and_its_python_runs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    guide = (Path(__file__).parents[2] / "docs" / "guide" / "reproduce.md").read_text()
    assert [name for name in NAMES if f"| `{name}` |" not in guide] == []
    (block,) = (part.split("```")[0] for part in guide.split("```python\n")[1:])
    exec(block, {})
    said = capsys.readouterr().out
    assert "['bbr-1', 'cubic-1', 'cubic3.19-1', 'cubic-2']" in said


@pytest.mark.parametrize("name", NAMES)
def test_the_statements_of_a_campaign_have_names_of_their_own(name: str) -> None:
    shown = [each.quantity for each in find(name).statements]
    assert len(set(shown)) == len(shown)
