"""Help, version, the manual page, and completion by the shell."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from airmile.cli import VERBS
from tests.cli.conftest import Airmile, on_a_terminal


@pytest.mark.parametrize("verb", [[verb.name or ""] for verb in VERBS] + [["testbed", "run"], []])
def test_help_says_what_the_option_says(airmile: Airmile, verb: list[str]) -> None:
    said = airmile("help", *verb)
    assert (said.code, said.err) == (0, "")
    assert said.out == airmile(*verb, "--help").out


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["qurey"], "query"),
        (["testbed", "rnu"], "run"),
        (["zzz"], "analyze, "),
        (["info", "x"], ""),
    ],
)
def test_help_of_what_is_no_verb(airmile: Airmile, words: list[str], hint: str) -> None:
    said = airmile("help", *words)
    assert (said.code, said.out) == (2, "")
    assert f"no verb {words[-1]!r}" in said.err
    assert hint in said.err.split("hint: ")[1]


def test_version_has_a_short_option(airmile: Airmile) -> None:
    assert airmile("-V").out == airmile("--version").out != ""


def test_the_manual_page_describes_every_verb_and_option(airmile: Airmile) -> None:
    page = airmile("man").out
    plain = page.replace("\\-", "-").replace("\\&", "")
    for verb in VERBS:
        assert f"\n.SS airmile {verb.name} " in plain
        for option in verb.params:
            assert all(name in plain for name in option.opts if name.startswith("--"))
    for code in ("0", "1", "2", "3", "4", "5", "130"):
        assert f"\\fB{code}\\fR" in page.split(".SH EXIT STATUS")[1]
    assert not [line for line in page.splitlines() if line.startswith(("'", ". "))]


@pytest.mark.skipif(shutil.which("groff") is None, reason="no groff")
def test_the_manual_page_is_clean_roff(airmile: Airmile) -> None:
    words = ["groff", "-man", "-ww", "-Tascii", "-z"]
    done = subprocess.run(words, input=airmile("man").out.encode(), capture_output=True, check=True)
    assert done.stderr == b""


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("an", "plain,analyze"),
        ("help q", "plain,query"),
        ("testbed cl", "plain,clean"),
        ("flows --so", "plain,--sort"),
        ("flows x.airmile --sort dl_rtt_p5", "plain,dl_rtt_p50_ms"),
        ("schema sli", "plain,slices"),
        ("query x.airmile --format par", "plain,parquet"),
        ("phone.pcap --form", "plain,--format"),
        ("phone.pc", "file,phone.pc"),
        ("qurey phone.pc", "file,phone.pc"),
        ("plot phone.pc", "file,phone.pc"),
    ],
)
def test_the_shell_is_given_what_fits(airmile: Airmile, line: str, offered: str) -> None:
    words = ["airmile", *line.split()]
    said = airmile(
        _AIRMILE_COMPLETE="bash_complete",
        COMP_WORDS=" ".join(words),
        COMP_CWORD=str(len(words) - 1),
    )
    assert (said.code, said.err) == (0, "")
    assert offered in said.out.splitlines()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_for_each_shell(airmile: Airmile, shell: str) -> None:
    said = airmile("completion", shell)
    assert said.code == 0
    assert f"_AIRMILE_COMPLETE={shell}_complete" in said.out
    assert airmile("completion", "tcsh").code == 2


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_completes_by_the_script(airmile: Airmile, tmp_path: Path) -> None:
    (tmp_path / "airmile.bash").write_text(airmile("completion", "bash").out)
    (tmp_path / "airmile").write_text(f'#!/bin/sh\nexec {sys.executable} -m airmile "$@"\n')
    (tmp_path / "airmile").chmod(0o755)
    asked = """PATH=$PWD:$PATH; . ./airmile.bash
        COMP_WORDS=(airmile flows --so); COMP_CWORD=2; _airmile_completion airmile
        echo "${COMPREPLY[@]}" """
    done = subprocess.run(
        ["bash", "-c", asked], cwd=tmp_path, capture_output=True, check=True, text=True
    )
    assert done.stdout.split() == ["--sort"]


@pytest.mark.parametrize("group", [[], ["testbed"], ["model"]])
@pytest.mark.parametrize("columns", [60, 80, 132])
def test_summaries_are_complete(tmp_path: Path, group: list[str], columns: int) -> None:
    code, shown = on_a_terminal(tmp_path, *group, "--help", columns=columns)
    text = shown.decode()
    assert code == 0 and "..." not in text.split("Commands:")[1]
    assert max(map(len, text.splitlines())) <= columns
    for verb in VERBS if not group else ():
        sentence = " ".join((verb.help or "").split("\n\n")[0].split())
        assert sentence.rstrip(".") in " ".join(text.split())
