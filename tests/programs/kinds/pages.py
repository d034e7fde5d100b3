"""Pages by several connections or streams, events of a server, forms, and clones of git.

They need nginx, curl, openssl and git.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.programs.kinds import nginx
from tests.programs.kinds.links import chosen
from tests.programs.kinds.tls import TLS
from tests.programs.program import Case, Program, Traits, case

GIT_PORT = 9418


def cases(seed: int) -> Iterator[Case]:
    """Give every case of a seed."""
    yield from _parallel(seed)
    yield from _events(seed)
    yield from _forms(seed)
    yield from _clone(seed)
    yield from _beside(seed)


def _parallel(seed: int) -> Iterator[Case]:
    """Give files and answers that think, at the same time: on connections, and on streams."""
    for variant in ("http1", "http2"):
        link, chance = chosen(seed, "parallel", variant)
        tls = variant == "http2"
        sizes = {f"f{number}": chance.randint(3_000, 400_000) for number in range(7)}
        names = [*sizes, *(f"think/{number}" for number in range(5))]
        options = ("-Z", "--parallel-max", "6", "--http2" if tls else "--http1.1")
        fetch = " ".join(nginx.curl(names, *options, tls=tls))
        client = ("sh", "-c", f"{fetch}; sleep 1; {fetch}; sleep 2; {fetch}")
        program = nginx.program(
            client, sizes, tls="TLSv1.3" if tls else "", think_ms=chance.choice([60, 250])
        )
        # With several open requests nothing is quiet while any of them waits.
        yield case("page", variant, seed, link, program, TLS if tls else Traits())


def _events(seed: int) -> Iterator[Case]:
    """Give events that a server pushes in one long answer."""
    for variant in ("clear", "tls"):
        link, chance = chosen(seed, "events", variant)
        tls = variant == "tls"
        client = nginx.curl(["think/events"], "-N", "--http1.1", "--max-time", "12", tls=tls)
        gap_ms = chance.choice([300, 900, 1500])
        program = nginx.program(
            ("sh", "-c", f"{' '.join(client)} || true"),
            {},
            tls="TLSv1.2" if tls else "",
            think_ms=gap_ms,
        )
        traits = Traits(answers=False, tls=tls, least_request=41 if tls else 1)
        yield case("server events", variant, seed, link, program, traits)


def _forms(seed: int) -> Iterator[Case]:
    """Give forms of some size that an application thinks about before it answers."""
    for variant, most in (("small", 3_000), ("photo", 900_000)):
        link, chance = chosen(seed, "forms", variant)
        sizes = {"body": chance.randint(most // 3, most)}
        url = f"http://{{server}}:{nginx.PORT}/think/form"
        send = f"curl -q -sS -o /dev/null -H Expect: --data-binary @{{work}}/files/body {url}"
        pause = f"; sleep {chance.uniform(0.3, 1.2):.1f}; "
        client = ("sh", "-c", pause.join([send] * 5))
        program = nginx.program(client, sizes, think_ms=chance.choice([80, 300, 700]))
        yield case("forms", variant, seed, link, program)


def _clone(seed: int) -> Iterator[Case]:
    """Give a repository that is cloned from git's own server."""
    link, chance = chosen(seed, "clone")
    size = chance.randint(2_000_000, 5_000_000)
    author = "-c user.name=x -c user.email=x@x.example"
    made = (
        "mkdir {work}/r; cd {work}/r; git init -q; for i in 1 2 3 4 5 6; do "
        f"head -c {size // 6} /dev/urandom > $i; git add $i; git {author} commit -qm $i; done"
    )
    server = ("git", "daemon", "--export-all", "--reuseaddr", "--base-path={work}", "{work}")
    client = ("sh", "-c", "git clone -q git://{server}/r {work}/a; sleep 1; cd {work}/a; git pull")
    program = Program(server, client, GIT_PORT, prepare=(("sh", "-c", made),))
    yield case("git", "clone", seed, link, program)


def _beside(seed: int) -> Iterator[Case]:
    """Give requests beside a download or an upload that fills the link."""
    for variant in ("download", "upload"):
        link, chance = chosen(seed, "beside", variant)
        sizes = {"big": chance.randint(6_000_000, 9_000_000)}
        bulk = " ".join(nginx.curl(["big"]))
        if variant == "upload":
            url = f"http://{{server}}:{nginx.PORT}/up/big"
            bulk = f"curl -q -sS -T {{work}}/files/big {url}"
        names = [f"think/{number}" for number in range(9)]
        asks = " ".join(nginx.curl(names, "--rate", "90/m"))
        client = ("sh", "-c", f"(sleep 1.5; exec {bulk}) & {asks}; wait")
        program = nginx.program(client, sizes, think_ms=chance.choice([30, 150, 400]))
        yield case("beside", variant, seed, link, program)
