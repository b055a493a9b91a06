/** Light and dark by the reader's own wish; a table that is too wide scrolls by itself; paper is always light. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --dim: #57606a; --line: #d0d7de; --good: #1a7f37; --doubt: #9a6700; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --paper: #0d1117; --dim: #9198a1; --line: #30363d; --good: #3fb950; --doubt: #d29922; --bad: #ff7b72; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 3rem; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { margin: 0; font-size: 1.5rem; }
h2 { margin: 2rem 0 .5rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); font-size: 1.1rem; break-after: avoid; }
p { margin: .4rem 0; }
.span, footer { color: var(--dim); }
.verdict { margin: 1rem 0; padding: .6rem .9rem; border: 1px solid; border-left-width: .4rem; border-radius: .3rem; }
.verdict p { color: var(--ink); }
.good { border-color: var(--good); color: var(--good); }
.doubtful { border-color: var(--doubt); color: var(--doubt); }
.bad { border-color: var(--bad); color: var(--bad); }
.wide { overflow-x: auto; margin: .5rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .9rem .25rem 0; text-align: left; vertical-align: top; font-weight: normal; }
thead th { color: var(--dim); white-space: nowrap; }
tbody tr { border-top: 1px solid var(--line); break-inside: avoid; }
td { min-width: 3rem; }
.long { min-width: 15rem; overflow-wrap: anywhere; }
li, .facts td:last-child { overflow-wrap: anywhere; }
.n { text-align: right; white-space: nowrap; }
.facts td:last-child { color: var(--dim); }
ul { margin: .4rem 0; padding-left: 1.2rem; }
@media (max-width: 40rem) { body { font-size: .95rem; padding: 1rem .75rem 2rem; } th, td { padding-right: .6rem; } }
@media print {
  :root { color-scheme: light; --ink: #000000; --paper: #ffffff; --dim: #444444; --line: #bbbbbb; --good: #1a7f37; --doubt: #7a5200; --bad: #b3261e; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  .wide { overflow: visible; }
}
`;
