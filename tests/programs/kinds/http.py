"""HTTP by nginx and curl, in clear: keep-alive, uploads, video, paced files, and long polls.

They need nginx, curl and openssl.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.programs.kinds import nginx
from tests.programs.kinds.links import chosen
from tests.programs.program import Case, Traits, case


def cases(seed: int) -> Iterator[Case]:
    """Give every case of a seed."""
    yield from _keep_alive(seed)
    yield from _expect(seed)
    yield from _video(seed)
    yield from _thinking(seed)
    yield from _paced(seed)


def _keep_alive(seed: int) -> Iterator[Case]:
    """Give several files on one connection, with pauses between them."""
    for variant in ("small", "large", "long-pauses"):
        link, chance = chosen(seed, "keep-alive", variant)
        most = 2_000_000 if variant == "large" else 60_000
        count = 3 if variant == "long-pauses" else 6
        sizes = {f"f{number}": chance.randint(500, most) for number in range(count)}
        rate = chance.choice(["30/m", "60/m", "90/m"])
        rate = chance.choice(["8/m", "9/m", "10/m"]) if variant == "long-pauses" else rate
        client = nginx.curl(list(sizes), "--rate", rate)
        yield case("http keep-alive", variant, seed, link, nginx.program(client, sizes))


def _expect(seed: int) -> Iterator[Case]:
    """Give uploads that wait for the server's word before the body."""
    for variant in ("put", "refused"):
        link, chance = chosen(seed, "expect", variant)
        sizes = {"body": chance.randint(400_000, 2_500_000)}
        where = "up/" if variant == "put" else "think-not/"
        uploads = [
            word
            for number in range(4)
            for word in ("-T", "{work}/files/body", "{base}/" + f"{where}u{number}")
        ]
        base = f"http://{{server}}:{nginx.PORT}"
        options = ("-q", "-sS", "-H", "Expect: 100-continue", "--rate", "60/m")
        client = ("curl", *options, *(word.replace("{base}", base) for word in uploads))
        yield case("http expect", variant, seed, link, nginx.program(client, sizes))


def _video(seed: int) -> Iterator[Case]:
    """Give chunks of video, each some seconds after the one before."""
    for variant in ("slow", "fast"):
        link, chance = chosen(seed, "video", variant)
        sizes = {f"c{number}": chance.randint(700_000, 1_400_000) for number in range(5)}
        client = nginx.curl(list(sizes), "--rate", "20/m" if variant == "slow" else "30/m")
        yield case("video chunks", variant, seed, link, nginx.program(client, sizes))


def _thinking(seed: int) -> Iterator[Case]:
    """Give an application behind nginx that thinks; and long polls."""
    for variant, think_ms, count in (("think", 350, 9), ("quick", 40, 12), ("long-poll", 4000, 3)):
        link, chance = chosen(seed, "thinking", variant)
        think = think_ms * chance.uniform(0.7, 1.3)
        names = [f"think/{number}" for number in range(count)]
        rate = ["--rate", "90/m"] if variant != "long-poll" else []
        program = nginx.program(nginx.curl(names, *rate), {}, think_ms=think)
        yield case("http application", variant, seed, link, program)


def _paced(seed: int) -> Iterator[Case]:
    """Give a file that nginx sends at a rate, and one that curl reads at a rate."""
    link, chance = chosen(seed, "paced")
    size = {"f": 1_500_000}
    rate = f"{chance.randint(120, 300)}k"
    paced = nginx.program(nginx.curl(["paced/f"]), size, rate=rate)
    yield case("paced server", "limit-rate", seed, link, paced)
    link, chance = chosen(seed, "paced reader")
    client = nginx.curl(["f"], "--limit-rate", f"{chance.randint(150, 300)}k")
    small = {"phone": {"sysctls": {"net.ipv4.tcp_rmem": "4096 65536 131072"}}}
    slow = nginx.program(client, {"f": 2_000_000})
    yield case("slow reader", "curl", seed, link, slow, Traits(), hosts=small)
