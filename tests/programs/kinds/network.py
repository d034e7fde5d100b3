"""What a network does to programs: names that take long, lost SYNs, holes, policers, resets.

They need nginx, curl, openssl and iptables.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from airmile.testbed.hosts.namespaces import PHONE, SERVER
from tests.programs.kinds import nginx
from tests.programs.kinds.links import chosen
from tests.programs.kinds.sockets import asking
from tests.programs.program import APPS, PYTHON, Case, Program, Step, Traits, case, rule

_FORWARD = ("-A", "FORWARD")
_UP, _DOWN = (*_FORWARD, "-s", PHONE), (*_FORWARD, "-s", SERVER)
_UPSTREAM = ("ue", "monitor")
"""The taps that see what the router loses of the phone's."""


def cases(seed: int) -> Iterator[Case]:
    """Give every case of a seed."""
    yield from _names(seed)
    yield from _lost_syns(seed)
    yield from _promotions(seed)
    yield from _holes(seed)
    yield from _windows(seed)
    yield from _policers(seed)
    yield from _bindings(seed)
    yield from _resets(seed)
    yield from _both_protocols(seed)


def _names(seed: int) -> Iterator[Case]:
    """Give an answer of the name server that takes long."""
    for variant in ("slow", "repeated"):
        link, chance = chosen(seed, "names", variant)
        wait_ms = chance.randint(600, 1600) if variant == "slow" else chance.randint(2400, 3200)
        sizes = {"f": chance.randint(20_000, 400_000)}
        fetch = " ".join(nginx.curl(["f"], host="slow.example"))
        mount = "mount --bind {work}/resolv.conf /etc/resolv.conf"
        client = ("unshare", "-m", "sh", "-c", f"{mount}; {fetch}; sleep 1; {fetch}")
        files = {"resolv.conf": "nameserver {server}\noptions timeout:2 attempts:3\n"}
        program = nginx.program(client, sizes, files=files)
        names = f"{PYTHON} {APPS / 'names.py'} {SERVER} {wait_ms}"
        served = " ".join(program.server)
        server = ("sh", "-c", f"{names} & exec {served}")
        program = Program(server, client, nginx.PORT, program.files, program.prepare)
        yield case("slow names", variant, seed, link, program)


def _lossy(seed: int, kind: str, variant: str, steps: tuple[Step, ...], traits: Traits) -> Case:
    link, _ = chosen(seed, kind, variant)
    program = asking(seed, kind, variant, router=steps)
    return case(kind, variant, seed, link, program, traits)


def _lost_syns(seed: int) -> Iterator[Case]:
    """Give connections of which the first SYNs, or the first SYN-ACKs, are lost."""
    wanted = Traits(findings=("lost_syn",), shown_at=_UPSTREAM)
    maybe = Traits(allowed=("lost_syn",))
    syn = ("-p", "tcp", "--tcp-flags", "SYN,ACK", "SYN", "-j", "DROP")
    answer = ("-p", "tcp", "--tcp-flags", "SYN,ACK", "SYN,ACK", "-j", "DROP")
    for variant, match, until_s, traits in (
        ("syn", (*_UP, *syn), 0.6, wanted),
        ("two-syns", (*_UP, *syn), 1.8, wanted),
        ("syn-ack", (*_DOWN, *answer), 0.6, maybe),
    ):
        steps = rule(-1, *match), rule(until_s, "-F", "FORWARD")
        yield _lossy(seed, "lost syn", variant, steps, traits)


def _promotions(seed: int) -> Iterator[Case]:
    """Give a radio that sleeps between requests, and is idle at first."""
    for variant, pause_ms in (("first", 100), ("each", 1500)):
        idle = {"inactivity_ms": 900, "promotion_ms": [200, 500]}
        link, _ = chosen(seed, "promotion", variant, rrc=idle)
        program = asking(seed, "promotion", variant, pause_ms=pause_ms)
        yield case("promotion", variant, seed, link, program, Traits(special="promotion"))


def _holes(seed: int) -> Iterator[Case]:
    """Give paths that lose every large packet of a direction."""
    hole = ("-m", "length", "--length", "1401:", "-j", "DROP")
    probing: dict[str, Any] = {"server": {"sysctls": {"net.ipv4.tcp_mtu_probing": "1"}}}
    for variant, way, shown, hosts in (
        ("download", _DOWN, ("server",), {}),
        ("download-probing", _DOWN, ("server",), probing),
        ("upload", _UP, _UPSTREAM, {}),
    ):
        link, chance = chosen(seed, "hole", variant)
        sizes = {"f": chance.randint(30_000, 200_000)}
        client = nginx.curl(["f"])
        if variant == "upload":
            url = f"http://{{server}}:{nginx.PORT}/up/f"
            client = ("curl", "-q", "-sS", "-T", "{work}/files/f", url)
        traits = Traits(findings=("path_mtu_black_hole",), shown_at=shown, special="hole")
        program = nginx.program(client, sizes, router=(rule(-1, *way, *hole),), longest_s=16)
        more = {"hosts": hosts} if hosts else {}
        yield case("black hole", variant, seed, link, program, traits, **more)


def _windows(seed: int) -> Iterator[Case]:
    """Give a middlebox that removes the window scale of SYNs."""
    syns = ("-t", "mangle", *_FORWARD, "-p", "tcp", "--tcp-flags", "SYN", "SYN")
    strip = (*syns, "-j", "TCPOPTSTRIP", "--strip-options", "wscale")
    for variant in ("download", "upload"):
        _, chance = chosen(seed, "no scale", variant)
        link = chosen(seed, "no scale", variant)[0]
        sizes = {"f": chance.randint(4_000_000, 8_000_000)}
        client = nginx.curl(["f"])
        if variant == "upload":
            url = f"http://{{server}}:{nginx.PORT}/up/f"
            client = ("curl", "-q", "-sS", "-T", "{work}/files/f", url)
        program = nginx.program(client, sizes, router=(rule(-1, *strip),))
        traits = Traits(findings=("window_without_scale",))
        yield case("no window scale", variant, seed, link, program, traits)


def _policers(seed: int) -> Iterator[Case]:
    """Give a router that drops what exceeds a rate."""
    for variant, way in (("download", _DOWN), ("upload", _UP)):
        link, chance = chosen(seed, "policer", variant)
        rate = chance.randint(120, 350)
        limit = ("-m", "limit", "--limit", f"{rate}/s", "--limit-burst", "60", "-j", "ACCEPT")
        full = ("-p", "tcp", "-m", "length", "--length", "1000:")
        steps = rule(-2, *way, *full, *limit), rule(-1, *way, *full, "-j", "DROP")
        client = nginx.curl(["f"])
        if variant == "upload":
            url = f"http://{{server}}:{nginx.PORT}/up/f"
            client = ("curl", "-q", "-sS", "-T", "{work}/files/f", url)
        sizes = {"f": rate * 1448 * 8}
        program = nginx.program(client, sizes, router=steps)
        # A first burst that the link itself limits leaves the policer unnamed.
        traits = Traits(special="policer", allowed=("policer",))
        yield case("policer", variant, seed, link, program, traits)


def _bindings(seed: int) -> Iterator[Case]:
    """Give a path that loses everything from some time on."""
    for variant, pause_ms, at_s in (("nat", 2500, 4.0), ("midst", 60, 3.0)):
        link, _ = chosen(seed, "lost binding", variant)
        steps = (rule(at_s, *_FORWARD, "-j", "DROP"),)
        program = asking(seed, "lost binding", variant, pause_ms=pause_ms, router=steps)
        yield case("lost binding", variant, seed, link, program, Traits())


def _resets(seed: int) -> Iterator[Case]:
    """Give a middlebox that resets a connection."""
    reject = ("-p", "tcp", "-j", "REJECT", "--reject-with", "tcp-reset")
    for variant, ways in (("both", (_UP, _DOWN)), ("phone", (_UP,))):
        steps = tuple(rule(3.5, *way, *reject) for way in ways)
        yield _lossy(seed, "reset", variant, steps, Traits())


def _both_protocols(seed: int) -> Iterator[Case]:
    """Give a server with an address of IPv6 that does not answer, and one of IPv4 that does."""
    link, chance = chosen(seed, "both protocols")
    sizes = {"f": chance.randint(50_000, 500_000)}
    on = "sysctl -qw net.ipv6.conf.all.disable_ipv6=0 net.ipv6.conf.u0.disable_ipv6=0"
    address = "ip -6 addr add fd00:73::2/64 dev u0 nodad; ip -6 route add default dev u0"
    resolved = f"server.example:{nginx.PORT}:[fd00:99::2],{{server}}"
    fetch = " ".join(nginx.curl(["f"], "--resolve", resolved, host="server.example"))
    client = ("sh", "-c", f"{on}; {address}; {fetch}; sleep 1; {fetch}; sleep 1; {fetch}")
    # The router takes packets of IPv6, and knows no way for them.
    knows = Step(-1, ("sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=0"))
    program = nginx.program(client, sizes, router=(knows,))
    traits = Traits(allowed=("happy_eyeballs",))
    yield case("happy eyeballs", "ipv6-lost", seed, link, program, traits)
