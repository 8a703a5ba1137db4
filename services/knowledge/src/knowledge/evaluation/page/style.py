"""Holds the style of the page: both colour schemes, the fonts of the reader, nothing from elsewhere."""

from typing import Final

STYLE: Final = """
:root { color-scheme: light dark; --ink: #1c1f23; --soft: #59616b; --line: #d4d8dd; --paper: #ffffff; --tint: #f3f5f7;
  --one: #0b63a5; --two: #a94400; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --soft: #a5adb7; --line: #3b424a; --paper: #14171a;
  --tint: #1e2328; --one: #6cbcf5; --two: #f2a65a; } }
body { margin: 2rem auto; max-width: 62rem; padding: 0 1rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.15rem; margin: 2.25rem 0 .5rem; }
p, dl, ul { margin: .4rem 0; } .soft { color: var(--soft); }
.verdict { border: 2px solid var(--ink); border-radius: .4rem; padding: .5rem .8rem; margin: 1rem 0; }
.verdict strong { font-size: 1.05rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td { font-variant-numeric: tabular-nums; } tbody th { font-weight: 500; }
.wide { overflow-x: auto; }
svg { display: block; width: 100%; height: auto; } svg.narrow { max-width: 40rem; }
svg text { fill: var(--ink); font: 13px system-ui, sans-serif; }
svg text.figures { fill: var(--soft); font-size: 12px; font-variant-numeric: tabular-nums; }
.grid { stroke: var(--line); stroke-width: 1; } .whisker { stroke: var(--one); stroke-width: 2; }
.candidate { fill: var(--one); stroke: var(--paper); stroke-width: 1.5; }
.published { fill: var(--paper); stroke: var(--two); stroke-width: 2; }
.curve { fill: none; stroke: var(--two); stroke-width: 2; stroke-dasharray: 6 3; } .spot { fill: var(--two); }
rect.won { fill: var(--one); } rect.lost { fill: var(--two); }
rect.unchanged { fill: var(--tint); stroke: var(--line); }
details { border-bottom: 1px solid var(--line); padding: .35rem 0; }
summary { cursor: pointer; } summary b { display: inline-block; min-width: 5.5rem; }
blockquote { margin: .3rem 0 .3rem 1rem; padding-left: .7rem; border-left: 3px solid var(--line);
  white-space: pre-wrap; overflow-wrap: anywhere; }
bdi { overflow-wrap: anywhere; }
.key span { margin-right: 1.5rem; }
"""
