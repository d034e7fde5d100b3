"""The page of a campaign: its statements, how it was run, and its figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import astuple
from typing import TYPE_CHECKING

from airmile._words import count, counted, percent
from airmile.campaign import statements
from airmile.campaign.results import Outcome, versions
from airmile.render import study_page
from airmile.render.study_page_parts import text
from airmile.render.study_page_sources import definitions
from airmile.study import PAPERS

if TYPE_CHECKING:
    from airmile.campaign.folder import Tally
    from airmile.campaign.plans import Kept


def page(found: Outcome, commands: Mapping[str, str]) -> str:
    """Return the HTML page, which opens from a file and needs no network.

    Parameters
    ----------
    found : Outcome
        The outcome of the campaign.
    commands : mapping of str to str
        For each label of a dataset, its name in commands of the shell.
    """
    campaign = found.campaign
    context = study_page.Context(commands)
    title = f"{found.name}: {campaign.title}"
    body = [
        statements.STYLE,
        f"<header><p class=made>airmile testbed campaign{' --quick' * found.plan.quick}</p>"
        f"<h1>{text(title)}</h1></header>",
        f"<p>{text(PAPERS[campaign.study])}; {text(campaign.section)}.</p>",
        *_answer(found),
        *statements.section(found),
        *_conduct(found),
        *(
            part
            for result in found.exhibits
            for part in study_page.section(campaign.study, result, context)
        ),
        definitions([statements.RULE, *(each.exhibit.caption for each in found.exhibits)]),
    ]
    return study_page.document(title, body)


def _answer(found: Outcome) -> Iterator[str]:
    """Yield the number of each outcome, and what the runs were."""
    left = len(found.tally.left_out)
    yield (
        f"<section class=input><p><b>{counted(len(found.lines), 'statement')} of the paper: "
        f"{text(statements.counts(found))}.</b></p>"
        f"<p>{counted(len(found.tally.finished), 'run')} of {len(found.plan.trials)} count, "
        f"{left} left out because the machine was late or a run failed."
        f"{_quick(found)}</p></section>"
    )


def _quick(found: Outcome) -> str:
    """Return what the short form leaves out, and what it shortens."""
    if not found.plan.quick:
        return ""
    whole = len(found.campaign.trials())
    return text(
        f" This is the short form, with {len(found.plan.trials)} runs where the whole campaign has "
        f"{count(whole)}. {found.campaign.shorter()}"
    )


def _conduct(found: Outcome) -> Iterator[str]:
    """Yield how the campaign was run, how that differs from the paper, and how to repeat it."""
    tally = found.tally
    yield '<section id="conduct"><h3>How it was run</h3>'
    yield f"<p>{text(_facts(found))}</p>"
    yield f"<p>{text(_planned(found))}</p>"
    if found.others:
        yield f"<p>{text(_others(found.others))}</p>"
    yield from _by_arm(tally)
    if tally.left_out:
        items = "".join(
            f"<li>{text(name)}: {text(why)}</li>" for name, why in tally.left_out.items()
        )
        yield f"<details open><summary>Runs left out</summary><ul>{items}</ul></details>"
    if found.campaign.notes:
        items = "".join(f"<li>{text(note)}</li>" for note in found.campaign.notes)
        yield f"<p>What is not as in the paper:</p><ul>{items}</ul>"
    yield f"<p>To run it again: <code>{text(found.command)}</code></p></section>"


def _by_arm(tally: Tally) -> Iterator[str]:
    """Yield how many runs of each arm were repeated and left out, if any was."""
    if not tally.repeated:
        return
    names = ("arm", "planned", "count", "late or failed", "repeated with their seed", "left out")
    head = "".join(f"<th>{each}</th>" for each in names)
    rows = "".join(
        f"<tr><td>{text(arm)}</td>" + "".join(f"<td>{each}</td>" for each in astuple(own)) + "</tr>"
        for arm, own in tally.arms.items()
    )
    yield (
        "<p>If a run is late or fails, all arms of its seed are run again, in an order that is "
        f"drawn. Attempts by arm:</p><div class=wide><table><thead><tr>{head}</tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )


def _planned(found: Outcome) -> str:
    """Return what was fixed before the first run, and which runs were there before."""
    plan, kept = found.plan, found.kept
    others = {
        "with too few seeds": len(plan.of("too few")),
        "set": len(plan.of("set")),
        "not run": len(plan.of("not run")),
    }
    rest = "".join(f", {number} {why}" for why, number in others.items() if number)
    family = counted(plan.family, "statement")
    return f"The plan: {family} tested together (Holm){rest}. {_when(kept)}"


def _when(kept: Kept | None) -> str:
    if kept is None:
        return "It was not written down before the runs, so that they may have decided it."
    if not kept.finished:
        return f"It was written down before the first run ({kept.made}); no seed was added since."
    were = "run was" if kept.finished == 1 else "runs were"
    return (
        f"It is plan {kept.number} of this folder, of {kept.made}: {count(kept.finished)} {were} "
        "finished before it, whose results may have been seen."
    )


def _others(number: int) -> str:
    runs = "run that belongs" if number == 1 else "runs that belong"
    return (
        f"The folder also holds {count(number)} finished {runs} to more iterations of the "
        "campaign. Nothing on this page uses them; the commands below a figure read them too."
    )


def _facts(found: Outcome) -> str:
    tally, known = found.tally, versions()
    seeds = found.seeds
    many = f"seeds {seeds[0]} to {seeds[-1]} ({len(seeds)})" if seeds else "no seed"
    many = f"seed {seeds[0]}" if len(seeds) == 1 else many
    return (
        f"{counted(len(tally.finished), 'run')} finished, {len(tally.repeated)} repeated, "
        f"{len(tally.left_out)} left out, in {found.took_s / 60:.0f} min; {many}; kernel "
        f"{', '.join(found.kernels) or 'unknown'}; airmile {known['airmile']}, Python "
        f"{known['python']}, {known['machine']}. Runs of one seed met the same link and the same "
        f"competing users.{_load(found)}{_side_by_side(found)}"
    )


def _side_by_side(found: Outcome) -> str:
    return f" A trial said: {found.side_by_side}." if found.side_by_side else ""


def _load(found: Outcome) -> str:
    """Return how busy the machine was before runs, if that was measured."""
    if not found.loads:
        return ""
    busiest = percent(max(sum(each) for each in found.loads))
    if len(found.loads) == 1:
        return f" Before the first run {busiest} of the machine's cores were in use."
    return (
        f" The load was measured {len(found.loads)} times before runs: at most {busiest} of the "
        "machine's cores were in use."
    )
