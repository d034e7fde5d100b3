"""The style sheet of a study's page."""

STYLE = """\
:root { color-scheme: light dark; --ink: #1b1f24; --grey: #5d6670; --line: #d9dee4;
  --tint: #f5f7f9; --link: #0b57a4; --paper: #fff; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e4e7ea; --grey: #a3acb5; --line: #3a424a; --tint: #20262c; --link: #7db8f5;
    --paper: #14181c; }
  figure svg { padding: .5rem; border-radius: 6px; }
}
* { box-sizing: border-box; }
body { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; color: var(--ink);
  background: var(--paper); font: 16px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { font-size: 1.3rem; line-height: 1.25; margin: .1rem 0 .5rem; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; padding-top: 1rem;
  border-top: 2px solid var(--ink); }
h3 { font-size: 1.1rem; margin: 0 0 .3rem; }
h3 span { display: block; font-size: .8rem; font-weight: 600; color: var(--grey); }
p { margin: .4rem 0; overflow-wrap: anywhere; }
a { color: var(--link); }
section { margin: 1.2rem 0; padding: 1rem 0; border-top: 1px solid var(--line); }
section.input { border: 1px solid var(--line); border-radius: 6px; background: var(--tint);
  padding: .2rem .8rem; margin: .4rem 0; }
nav { margin: .4rem 0; font-size: .9rem; }
nav a { display: inline-block; margin: 0 .5rem 0 0; }
nav + section { margin-top: .3rem; padding-top: .5rem; }
nav a.lacks { color: var(--grey); text-decoration: none; }
.made, .source, .n, summary { color: var(--grey); }
.made { margin: 0; font-weight: 600; }
figure { margin: .8rem 0; }
figure svg { display: block; width: 100%; height: auto; max-width: 56rem; background: #fff; }
figure .narrow { display: none; }
@media (max-width: 40rem) {
  figure:has(.narrow) .broad { display: none; }
  figure .narrow { display: block; }
  body { padding-top: .8rem; }
  h1 { font-size: 1.05rem; }
  .numbers table { font-size: .8rem; }
  .numbers tbody th { min-width: 6rem; }
  .numbers th, .numbers td { padding-right: .4rem; }
}
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: .5rem 0; font-size: .9rem;
  font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .7rem .2rem 0; text-align: right; vertical-align: top; }
thead th { border-bottom: 1px solid var(--ink); font-weight: 600; }
tbody th { font-weight: 400; text-align: left; min-width: 8.5rem; }
sup { line-height: 0; }
tbody th.part { padding-left: 1.2rem; }
tbody tr { border-bottom: 1px solid var(--line); }
.numbers td:nth-child(2), .numbers th:nth-child(2) { text-align: left; color: var(--grey); }
.data td, .data th { text-align: left; }
.lacking { color: var(--grey); background: var(--tint); border-left: 3px solid var(--line);
  padding: .4rem .8rem; }
.notes > li { margin: .3rem 0; }
details, .data, .reasons { margin: .5rem 0; font-size: .9rem; }
.reasons { color: var(--grey); padding-left: 1.5rem; }
li { overflow-wrap: anywhere; }
summary { cursor: pointer; }
pre { overflow-x: auto; font-size: .85rem; }
code { background: var(--tint); padding: 0 .25em; overflow-wrap: anywhere; }
code span { display: inline-block; max-width: 100%; }
@media print { nav, .data { display: none; } section { break-inside: avoid; } }
"""
