"""Runs the checks of the project, as ``make test``, ``check-all``, ``lint`` and ``quick`` do.

Each step prints its name, and a failed step also its output. A lint counts as one check; tests of
Rust and Python count one by one. The last line of the output is ``N passed, N failed``.

Skipped tests are listed. A skip that ``tests/expected-skips.txt`` does not name is a failure: a
test that silently stops running is worse than one that fails. A Rust test that cannot run prints
``skipped: REASON``, because Rust's test harness has no skips.

Without ``--whole``, tests that would take long run a fixed share of their cases and print which
(``tests/support/share.py``, ``crates/share``); what they leave to ``make check-all`` is listed.

With ``--newcomer``, the tests that read captures outside of the repository run once more without
these captures, as on a fresh clone. Then, too, no skip may be unexpected.
"""
