"""The plan of a campaign: its family, what it keeps in the folder, and how it judges."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import airmile
from airmile import InputError
from airmile.campaign import measured, plans
from airmile.campaign.design import Campaign, Estimator, Statement, Trial
from airmile.campaign.folder import Place
from airmile.dataset import Dataset
from tests.campaign.support import made_up
from tests.support import made


def campaign(*estimators: Estimator, set_by: Sequence[str] = (), whole: int = 8) -> Campaign:
    """Return the invented campaign with a statement about `b` for each estimator."""
    causes = [*set_by, *[""] * len(estimators)]
    statements = [
        Statement(
            f"{number}: {estimator}", "section 5", "200", 200, "", estimator, BYTES, "b",
            set_by=causes[number],
        )
        for number, estimator in enumerate(estimators)
    ]  # fmt: skip
    return replace(made_up(whole=whole), statements=statements)


def medians(number: int) -> list[Estimator]:
    return ["median"] * number


BYTES = "SELECT run, dl_payload_bytes AS value FROM flows"


def plan_of(given: Campaign, seeds: int = 8) -> plans.Plan:
    trials = [trial for trial in given.trials() if trial.seed <= seeds]
    return plans.plan(given, trials)


def states(plan: plans.Plan) -> list[tuple[str, int, int | None]]:
    return [(each.state, each.seeds, each.least) for each in plan.statements]


def test_the_family_is_what_the_seeds_can_decide_together() -> None:
    """Eight seeds decide six sign tests together, and not a seventh."""
    assert states(plan_of(campaign(*medians(6)))) == [("tested", 8, 8)] * 6
    assert states(plan_of(campaign(*medians(7)))) == [("too few", 8, 9)] * 7
    # What is too few takes nothing from the others: the family is theirs.
    found = plan_of(campaign(*medians(2), "p95", "p95", "p95", "p95"))
    assert found.family == 2
    assert [each.state for each in found.statements] == ["tested"] * 2 + ["too few"] * 4
    assert [each.least for each in found.statements[:2]] == [7, 7]


def test_a_set_statement_is_no_member_of_the_family() -> None:
    found = plan_of(campaign(*medians(7), set_by=["the link has this rate"]))
    assert found.family == 6
    assert found.statements[0].state == "set"


def test_a_statement_without_its_arms_is_not_run() -> None:
    given = campaign("mean", "mean")
    lacking = replace(given.statements[1], arms="c")
    found = plan_of(replace(given, statements=[given.statements[0], lacking]))
    assert states(found) == [("tested", 8, 6), ("not run", 0, None)]


def test_seeds_of_a_pair_are_those_of_both_arms() -> None:
    given = made_up(whole=8)
    trials = [each for each in given.trials() if each.arm.name == "b" or each.seed > 3]
    assert [each.seeds for each in plans.plan(given, trials).statements] == [5, 8, 8]


def dataset(folder: Path, values: dict[str, list[int]]) -> Dataset:
    """Return a dataset of runs with the bytes of their flows, one for each seed of an arm."""
    for arm, own in values.items():
        for seed, sent in enumerate(own, 1):
            flows = [{"protocol": "tcp", "dl_payload_bytes": sent}]
            made.write(folder / f"{arm}-{seed}.airmile", flows=flows)
    runs = [f"{arm}-{seed}.airmile" for arm, own in values.items() for seed, _ in enumerate(own, 1)]
    named = {"schema": 1, "tool": "airmile", "version": airmile.__version__}
    (folder / "manifest.json").write_text(json.dumps({**named, "runs": runs, "planned": []}))
    return Dataset(folder)


def judged(folder: Path, plan: plans.Plan, values: dict[str, list[int]]) -> list[measured.Line]:
    there = dataset(folder, values)
    finished: list[Trial] = [
        trial for trial in plan.trials if trial.seed <= len(values.get(trial.arm.name, []))
    ]
    return measured.lines(plan, {"": there}, finished)


def test_no_value_too_few_set_and_undecided_are_told_apart(tmp_path: Path) -> None:
    given = campaign("mean", "p95", "mean", "mean", set_by=["", "", "the link"])
    lacking = replace(given.statements[3], rows="SELECT run, NULL AS value FROM flows")
    plan = plan_of(replace(given, statements=[*given.statements[:3], lacking]))
    found = judged(tmp_path / "runs", plan, {"b": [50, 350, 50, 350, 50, 350, 50, 350]})
    assert [line.outcome for line in found] == ["undecided", "too few", "set", "no value"]
    assert found[1].reason == "8\u00a0samples, and 94 decide it"
    assert found[2].reason == "the link"
    assert "no run gives a value" in found[3].reason
    assert [line.p_value is None for line in found] == [False, True, True, True]


def test_what_is_not_run_is_no_missing_value(tmp_path: Path) -> None:
    given = campaign("mean", "mean", "mean", set_by=["", "", "the link"])
    lacking = [replace(each, arms="c") for each in given.statements[1:]]
    plan = plan_of(replace(given, statements=[given.statements[0], *lacking]))
    found = judged(tmp_path / "runs", plan, {"b": [200, 201, 200, 199, 200, 200, 201, 199]})
    assert [line.outcome for line in found] == ["reproduced", "not run", "not run"]
    assert [each.state for each in plan.statements] == ["tested", "not run", "not run"]


def test_a_value_that_a_setting_gives_is_never_reproduced(tmp_path: Path) -> None:
    plan = plan_of(campaign("mean", "mean", set_by=["the link"]))
    found = judged(tmp_path / "runs", plan, {"b": [200, 201, 200, 199, 200, 200, 201, 199]})
    assert [line.outcome for line in found] == ["set", "reproduced"]


def test_runs_that_were_left_out_may_leave_too_few(tmp_path: Path) -> None:
    plan = plan_of(campaign(*medians(6)))
    found = judged(tmp_path / "runs", plan, {"b": [200] * 7})
    assert {line.outcome for line in found} == {"too few"}
    assert found[0].reason == "7\u00a0samples, and 8 decide it"


def test_a_seed_that_lost_one_of_its_arms_is_no_sample_of_their_mean(tmp_path: Path) -> None:
    """Of eight seeds, the last has no run of `a`: its mean would be that of `b` alone."""
    given = campaign("mean", "mean")
    both = replace(given.statements[0], arms="*", value=150)
    plan = plan_of(replace(given, statements=[both, given.statements[1]]))
    found = judged(tmp_path / "runs", plan, {"a": [100] * 7, "b": [200] * 8})
    assert found[0].found is not None
    assert found[1].found is not None
    assert (found[0].found.n, found[0].found.value) == (7, 150)
    assert (found[1].found.n, found[1].found.value) == (8, 200)


def test_the_family_stays_that_of_the_plan_where_values_lack(tmp_path: Path) -> None:
    """Two statements without a value still count, so that a p-value is multiplied by three."""
    given = campaign("mean", "mean", "mean")
    none = [
        replace(each, rows="SELECT run, NULL AS value FROM flows") for each in given.statements[1:]
    ]
    values = {"b": [210, 190, 290, 205, 310, 200, 300, 270]}
    alone = judged(tmp_path / "a", plan_of(campaign("mean")), values)[0].p_value
    plan = plan_of(replace(given, statements=[given.statements[0], *none]))
    among = judged(tmp_path / "b", plan, values)[0].p_value
    assert alone is not None
    assert among == pytest.approx(min(1, 3 * alone))


def test_a_plan_is_kept_once_and_another_says_what_was_there_before(tmp_path: Path) -> None:
    place, given = Place("x", tmp_path), made_up()
    first = plans.plan(given, given.trials(quick=True), quick=True)
    assert plans.kept(place, first) is None
    kept = plans.keep(place, first, 0)
    assert (kept.number, kept.finished) == (1, 0)
    # The same command again, when its runs are there, is no other plan.
    assert plans.keep(place, first, 4) == kept
    more = plans.keep(place, plans.plan(given, given.trials()), 4)
    assert (more.number, more.finished) == (2, 4)
    wider = plans.keep(place, plans.plan(given, given.trials(), margin=0.5), 16)
    assert (wider.number, wider.finished) == (3, 16)
    assert plans.kept(place, first) == kept


@pytest.mark.parametrize("text", ["{", "[1]", '[{"made": "now"}]', '{"made": 1}', '[{"made": 1}]'])
def test_a_damaged_file_of_plans_is_refused(tmp_path: Path, text: str) -> None:
    place, given = Place("x", tmp_path), made_up()
    place.plans.write_text(text)
    with pytest.raises(InputError, match="not the plans"):
        plans.keep(place, plans.plan(given, given.trials()), 0)
