"""The page of a study: it is complete, loads nothing, and no name in it does harm."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser
from pathlib import Path

import pyarrow as pa
import pytest

import airmile as am
from airmile._citations import references
from airmile.render.study_page import Paper, page
from airmile.render.study_page_parts import picture, prose
from airmile.render.study_page_size import NARROW, TABLE, WIDE, Budget
from airmile.study import EXHIBITS, PAPERS, Finding
from airmile.study._exhibit import Exhibit
from airmile.study._several import Result, labels, results
from tests.support.made import at, dataset, flow

EVIL = '</title><script src="https://x.example/a.js"></script><img src=x onerror=1>"'


class Tags(HTMLParser):
    """Collect the tags of a page with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def drive(path: Path, *sizes: int) -> am.Dataset:
    flows = [flow(uid, dl_payload_bytes=size, ul_payload_bytes=1) for uid, size in enumerate(sizes)]
    return dataset(path, flows=flows)


def made(tmp_path: Path, *names: str, study: str = "lte13") -> str:
    sources = {name: drive(tmp_path / str(n), n, 2000, 5_000_000) for n, name in enumerate(names)}
    found = list(results(list(EXHIBITS[study].values()), sources))
    return page([Paper(study, PAPERS[study], found)], sources, [f"{n}.airmile" for n in names])


def test_a_page_opens_from_a_file_and_requests_nothing(tmp_path: Path) -> None:
    text = made(tmp_path, "drive")
    tags = Tags(text).found
    assert not {tag for tag, _ in tags} & {"script", "link", "iframe", "img", "object", "embed"}
    for _, attributes in tags:
        for name in ("src", "xlink:href", "action"):
            assert (attributes.get(name) or "#").startswith("#")
    links = [attributes.get("href") or "" for tag, attributes in tags if tag == "a"]
    assert all(each.startswith(("#", "data:text/csv;base64,", "https://")) for each in links)
    assert not any("href" in attributes for tag, attributes in tags if tag not in ("a", "use"))
    assert "@import" not in text and not re.search(r"url\((?!#)", text)


def test_names_from_outside_are_text(tmp_path: Path) -> None:
    tags = {tag for tag, _ in Tags(made(tmp_path, EVIL, "other")).found}
    assert not tags & {"script", "img"}


def test_each_exhibit_is_there_with_its_numbers_or_with_the_reason(tmp_path: Path) -> None:
    text = made(tmp_path, "drive")
    start = text.index('<section id="lte13-lacking">')
    lacking = text[start : text.index("</section>", start)]
    for name in EXHIBITS["lte13"]:
        section = text.partition(f'<section id="lte13-{name}">')[2].partition("</section>")[0]
        assert ("<table>" in section) != (f'<span id="lte13-{name}">' in lacking)
    # Each reason is there once, with all exhibits that it is of, and unfolds.
    assert lacking.count("<details") == 1 and "<b>fig19, fig20</b>: no table" in lacking


def test_what_samples_give_is_asked_for_with_their_option(tmp_path: Path) -> None:
    flows = [flow(1, vantage="monitor")]
    found = list(results([EXHIBITS["lte13"]["fig10"]], {"x": dataset(tmp_path / "d", flows=flows)}))
    assert "--samples" in page([Paper("lte13", PAPERS["lte13"], found)], {"x": "x"}, ["x"])


def test_what_the_data_give_comes_before_what_they_lack(tmp_path: Path) -> None:
    rtts = [flow(uid, initiator="ue", handshake_rtt_ms=20.0 + uid) for uid in (1, 2, 3)]
    sources = {"drive": dataset(tmp_path / "d", flows=rtts)}
    found = list(results(list(EXHIBITS["eff14"].values()), sources))
    text = page([Paper("eff14", PAPERS["eff14"], found)], sources, ["drive.airmile"])
    shown = re.findall(r'<section id="eff14-(\w+)">', text)
    assert shown == ["fig2", "fig3", "table1", "notes", "lacking"]
    assert "Not from these data: fig1, fig4, model, fig5, fig6, fig6b" in text


def test_the_table_of_an_exhibit_comes_as_csv(tmp_path: Path) -> None:
    text = made(tmp_path, "drive")
    match = re.search(r'download="lte13-fig2.csv" href="data:text/csv;base64,([^"]+)"', text)
    assert match is not None
    lines = base64.b64decode(match[1]).decode().splitlines()
    assert lines[0] == '"curve","n","kind","share_ratio","value"'
    plain = re.sub("</?span>", "", text)
    assert "airmile study lte13 drive.airmile --figure fig2 --format csv" in plain


def test_datasets_are_side_by_side_in_one_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    sources = {name: drive(tmp_path / name, 10, size) for name, size in (("A", 100), ("B", 900))}
    (result,) = results([EXHIBITS["lte13"]["fig2"]], sources)
    figure = result.figure()
    assert figure is not None
    legend = figure.axes[0].get_legend()
    assert legend is not None
    shown = [text.get_text() for text in legend.get_texts()]
    names = ["A: downlink", "A: uplink", "B: downlink", "B: uplink"]
    assert [each.partition(" (")[0] for each in shown] == [*names, "printed in the paper"]
    colours = {
        line.get_color() for line in figure.axes[0].get_lines() if "A: " in str(line.get_label())
    }
    assert len(colours) == 1
    here = dict(result.findings())["above 100 KB uplink"]
    assert set(here) == {"A", "B"}


def test_indented_numbers_stay_below_their_head() -> None:
    def findings(rows: pa.Table) -> list[Finding]:
        users = rows["user"].to_pylist()
        both = ((Finding(f"user {user}", ""), Finding("  share", f"{user} %")) for user in users)
        return [each for pair in both for each in pair]

    made = Exhibit("bt19", "fig5", "section 3", "", lambda _: pa.table({}), findings)
    tables = {"A": pa.table({"user": [1]}), "B": pa.table({"user": [2, 1]})}
    found = Result(made, tables, {}).findings()
    shares = [
        {label: each.here for label, each in row.items()} for name, row in found if name != "user"
    ]
    assert shares[1::2] == [{"A": "1 %", "B": "1 %"}, {"B": "2 %"}]


def test_datasets_that_cannot_share_axes_have_a_panel_each(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    bins = {"bin_db": [10], "modulation": ["QPSK"], "blocks": [7], "ratio": [1.0]}
    result = Result(EXHIBITS["hwy18"]["fig4"], {"A $x": pa.table(bins), "B": pa.table(bins)}, {})
    figure = result.figure()
    assert figure is not None
    assert [part.get_suptitle() for part in figure.subfigs] == ["A $x", "B"]
    drawn = "".join(picture("hwy18", result))
    assert drawn.count("<svg") == 2


def test_what_one_dataset_lacks_is_said_with_its_label(tmp_path: Path) -> None:
    sources = {"full": drive(tmp_path / "a", 10), "empty": dataset(tmp_path / "b", flows=[])}
    found = list(results([EXHIBITS["lte13"]["fig2"]], sources))
    text = page([Paper("lte13", PAPERS["lte13"], found)], sources, ["a", "b"])
    assert "<b>fig2 of empty</b>: no TCP flow" in text
    assert "<th>full</th>" in text and "<th>here</th>" not in text


@pytest.mark.parametrize(
    ("given", "complaint"),
    [(["A"], "1 labels for 2 datasets"), (["A", "A"], "two datasets are called 'A'")],
)
def test_labels_that_do_not_fit_are_refused(given: list[str], complaint: str) -> None:
    with pytest.raises(am.UsageError, match=complaint):
        labels(["x.airmile", "y.airmile"], given)


@pytest.mark.parametrize("study", EXHIBITS)
def test_every_exhibit_is_explained_in_whole_sentences_with_its_definition(study: str) -> None:
    for exhibit in EXHIBITS[study].values():
        assert not exhibit.caption.startswith(("One row", "Return", "Give")), exhibit.name
        assert exhibit.caption.endswith(".") and exhibit.caption.count(". ") >= 1, exhibit.name
        assert [each.kind for each in references(exhibit.caption)], exhibit.name


def test_the_sources_of_a_caption_can_be_opened(tmp_path: Path) -> None:
    text = made(tmp_path, "drive")
    paper = '<a href="https://doi.org/10.1145/2486001.2486006">LTE13</a>, section 4.1'
    assert f'Source: {paper}; <a href="#methods">methods A5</a>.' in text
    assert '<a href="#methods">methods F3</a>' in text
    listed = text[text.index("<section id=methods>") :]
    assert "A5" in listed and "docs/methods/</span>" not in listed
    assert re.search(r"<li>A5[^<]*: <code><span>docs/methods/a-input.md</span></code>", listed)


def test_a_distribution_is_shown_by_its_quantiles(tmp_path: Path) -> None:
    text = made(tmp_path, "drive")
    section = text[text.index('<section id="lte13-fig2">') :]
    section = section[: section.index("</section>")]
    assert "<summary>Quantiles: payload of a flow (bytes)</summary>" in section
    levels = re.findall(r"<tr><td>([\d.]+)\xa0?\s?%</td>", section)
    assert levels == ["0", "1", "5", "10", "25", "50", "75", "90", "95", "99", "100"]
    # The sizes are 0, 2 000 and 5 000 000 bytes, down.
    assert "<tr><td>50 %</td><td>2000</td>" in section


def test_a_command_does_not_break_within_an_option() -> None:
    assert prose("see `airmile --samples`") == "see <code>airmile <span>--samples</span></code>"


def section(text: str, name: str) -> str:
    return text.partition(f'<section id="{name}">')[2].partition("</section>")[0]


def test_the_picture_comes_first_and_the_published_number_beside_its_name(tmp_path: Path) -> None:
    text = made(tmp_path, "drive")
    shown = section(text, "lte13-fig2")
    assert shown.index("<figure>") < shown.index("Distribution over TCP flows")
    head = re.search(r"<thead><tr>(.*?)</tr>", shown[shown.index("wide numbers") :])
    assert head is not None
    assert re.findall(r"<th>(.*?)</th>", head[1]) == ["", "published", "here", "n"]
    # What was captured is one line above the links, and the verdict unfolds.
    assert text.index("<details><summary>hand.pcap") < text.index("<nav")


def test_notes_follow_the_figures_each_once(tmp_path: Path) -> None:
    late = {"ul_payload_bytes": 1, "dl_payload_bytes": 9}
    flows = [flow(1, **late), flow(2, quality="mid_stream", **late)]
    sources = {"drive": dataset(tmp_path / "d", flows=flows)}
    found = list(results([EXHIBITS["lte13"][name] for name in ("fig2", "fig3")], sources))
    text = page([Paper("lte13", PAPERS["lte13"], found)], sources, ["drive.airmile"])
    assert text.count("which had begun before the capture") == 1
    notes = section(text, "lte13-notes")
    assert text.index('"lte13-notes"') > text.index('"lte13-fig3"')
    assert re.search(r'#lte13-fig2">fig2</a>, <a href="#lte13-fig3">fig3</a>:</b> 1 of 2', notes)


def test_folders_of_the_machine_are_not_on_the_page(tmp_path: Path) -> None:
    d = drive(tmp_path / "drive.airmile", 1, 2000)
    input_ = {"name": str(tmp_path / "hand.pcap"), "status": "ok", "problems": []}
    d.manifest |= {"inputs": [input_], "warnings": [f"{input_['name']}: the clock jumps"]}
    found = list(results([EXHIBITS["lte13"]["fig2"]], {"d": d}))
    text = page([Paper("lte13", PAPERS["lte13"], found)], {"d": d}, ["drive.airmile"])
    assert str(tmp_path) not in text


def test_numbers_of_64_bits_are_ranks_on_the_page_and_whole_in_the_csv(tmp_path: Path) -> None:
    uids = (309448509266623378, 681991927583743546)
    flows = [
        flow(
            uid, ue=f"10.0.0.{n}", ue_port=n, server=f"192.0.2.{n}", server_name=None,
            vantage="monitor", dl_payload_bytes=9_000_000, dl_first_payload_ns=at(0),
            dl_last_payload_ns=at(9000),
        )
        for n, uid in enumerate(uids, 1)
    ]  # fmt: skip
    samples = [
        {"uid": uid, "direction": "downlink", "time_ns": at(1000 * n), "bandwidth_bps": 5e6,
         "source": "c_rule"}
        for uid in uids for n in range(5)
    ]  # fmt: skip
    sources = {"d": dataset(tmp_path / "d", flows=flows, bandwidth_samples=samples)}
    found = list(results([EXHIBITS["lte13"]["fig22"]], sources))
    text = page([Paper("lte13", PAPERS["lte13"], found)], sources, ["d.airmile"])
    link = re.search(r'base64,([^"]+)"', text)
    assert link is not None
    assert str(uids[0]) in base64.b64decode(link[1]).decode()
    assert not any(str(uid) in text for uid in uids)
    assert "flow 1, of 192.0.2.1" in text and "<th>flow</th>" in text


@pytest.mark.parametrize(
    ("most_bytes", "left"), [(3100, "tnw"), (2900, "nw"), (1500, "w"), (100, "p")]
)
def test_a_page_gets_lighter_by_tables_then_pictures(most_bytes: int, left: str) -> None:
    def pixels() -> str:
        return "p"

    budget = Budget(most_bytes)
    marks = [
        budget.part(TABLE, "t" * 1000), budget.part(NARROW, "n" * 1000),
        budget.part(WIDE, "w" * 1000, pixels),
    ]  # fmt: skip
    assert "".join(dict.fromkeys(budget.fitted("".join(marks)))) == left


def test_a_picture_without_room_is_one_of_pixels_that_loads_nothing(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    (result,) = results([EXHIBITS["lte13"]["fig2"]], {"d": drive(tmp_path / "d", 1, 2000)})
    small = Budget(most_bytes=0)
    text = small.fitted("".join(picture("lte13", result, small)))
    assert text.count("<svg") == 1 and "<div class=narrow>" not in text
    (image,) = [attributes for tag, attributes in Tags(text).found if tag == "image"]
    assert (image["href"] or "").startswith("data:image/png;base64,")
