import { codeStyle } from "./page-style-code.ts";
import { formStyle } from "./page-style-form.ts";

/** Colours by what they are for. Each text colour has a contrast of at least 4.5 to 1 with each ground (WCAG 2.2 §1.4.3). */
const colours = `
:root {
  color-scheme: light dark;
  --ground: #fbfcfb; --card: #ffffff; --soft: #f2f5f3; --line: #d9e0dc; --edge: #7d8a84;
  --text: #18211d; --dim: #55625c; --accent: #0a6350; --on-accent: #ffffff; --tint: #e3f1ec;
  --good: #17663a; --bad: #a3261b; --bad-tint: #fbeae7;
  --name: #1d55a5; --string: #864404; --number: #7b2b86;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #101513; --card: #161d1a; --soft: #1d2522; --line: #323d38; --edge: #76857e;
    --text: #e5ebe8; --dim: #a6b3ad; --accent: #66d3b3; --on-accent: #08231c; --tint: #16332b;
    --good: #6fd39a; --bad: #ff9c8f; --bad-tint: #3a1d1a;
    --name: #8ab8f7; --string: #e9b47c; --number: #d9a1e4;
  }
}
`;

const text = `
* { box-sizing: border-box; }
html { font: 100%/1.6 system-ui, sans-serif; -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem; }
body { margin: 0; background: var(--ground); color: var(--text); overflow-wrap: break-word; }
h1, h2, h3 { line-height: 1.25; margin: 0; text-wrap: balance; letter-spacing: -0.01em; }
h1 { font-size: clamp(1.6rem, 1.1rem + 2.4vw, 2.4rem); font-weight: 700; overflow-wrap: anywhere; }
h2 { font-size: 1.35rem; font-weight: 650; }
h3 { font-size: 1.05rem; font-weight: 650; }
p, ul, ol, dl, dd { margin: 0; }
a { color: var(--accent); text-underline-offset: 0.18em; text-decoration-thickness: 0.06em; }
a:hover { text-decoration-thickness: 0.14em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 0.2rem; }
code, pre, kbd, .mono { font-family: ui-monospace, "Cascadia Code", "SF Mono", Menlo, Consolas, monospace; font-size: 0.9em; }
.lead { font-size: 1.15rem; color: var(--dim); max-width: 44rem; text-wrap: pretty; }
.note { color: var(--dim); font-size: 0.92rem; max-width: 46rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.anywhere { overflow-wrap: anywhere; }
[hidden] { display: none !important; }
`;

const layout = String.raw`
.skip { position: absolute; left: 1rem; top: -4rem; background: var(--card); padding: 0.5rem 1rem; z-index: 1; }
.skip:focus { top: 0.5rem; }
.wide { max-width: 66rem; margin: 0 auto; padding: 0 clamp(1rem, 4vw, 2rem); }
.top { border-bottom: 1px solid var(--line); background: var(--card); }
.top .wide { display: flex; align-items: center; gap: 0.5rem 0.75rem; padding-block: 0.8rem; flex-wrap: wrap; font-size: 0.95rem; }
.top a { text-decoration: none; }
.top a:hover { text-decoration: underline; }
.brand { font-weight: 650; color: var(--text); display: inline-flex; align-items: center; gap: 0.55rem; }
.brand svg { width: 1.5rem; height: 1.5rem; flex: none; }
.trail { display: flex; flex-wrap: wrap; gap: 0 0.6rem; list-style: none; padding: 0; min-width: 0; }
.trail li { min-width: 0; overflow-wrap: anywhere; }
.trail li::before { content: "/"; color: var(--edge); margin-right: 0.6rem; }
main.wide { padding-block: clamp(1.75rem, 5vw, 3.25rem) 3rem; display: grid; grid-template-columns: minmax(0, 1fr); gap: clamp(2.25rem, 5vw, 3.25rem); }
main > section, .intro { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; align-content: start; }
.foot { border-top: 1px solid var(--line); color: var(--dim); font-size: 0.9rem; }
.foot .wide { padding-block: 1.25rem 2rem; }
.jump { display: flex; flex-wrap: wrap; gap: 0.3rem 1.25rem; list-style: none; padding: 0; font-size: 0.95rem; }
.notice { border-left: 4px solid var(--bad); background: var(--bad-tint); padding: 0.75rem 1rem; border-radius: 0.25rem; }
.cards { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); list-style: none; padding: 0; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 0.75rem; padding: 1.25rem 1.4rem; display: grid; gap: 0.5rem; align-content: start; min-width: 0; }
.card h2 a, .card h3 a { text-decoration: none; overflow-wrap: anywhere; }
.card h2 a:hover, .card h3 a:hover { text-decoration: underline; }
.card .label { margin-top: 0.5rem; }
.rows { list-style: none; padding: 0; background: var(--card); border: 1px solid var(--line); border-radius: 0.75rem; }
.rows > li { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.6rem 2.5rem; padding: 1.15rem 1.4rem; }
.rows > li + li { border-top: 1px solid var(--line); }
.rows h3 { margin-bottom: 0.25rem; }
.rows h3 a { text-decoration: none; overflow-wrap: anywhere; }
.rows h3 a:hover { text-decoration: underline; }
@media (min-width: 50rem) { .rows > li { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); } }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.3rem 1.25rem; align-content: start; }
.facts dt { color: var(--dim); }
.facts dd { overflow-wrap: anywhere; }
.links { display: flex; flex-wrap: wrap; gap: 0.25rem 1.1rem; list-style: none; padding: 0; }
.tag { display: inline-block; font-size: 0.8rem; line-height: 1.5; padding: 0 0.55rem; border-radius: 1rem; background: var(--soft); border: 1px solid var(--line); color: var(--dim); white-space: nowrap; }
.tags { display: flex; flex-wrap: wrap; gap: 0.35rem; list-style: none; padding: 0; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 0.75rem; background: var(--card); }
table { border-collapse: collapse; width: 100%; font-size: 0.95rem; }
th, td { text-align: left; padding: 0.6rem 1rem; vertical-align: top; border-top: 1px solid var(--line); }
thead th { border-top: 0; color: var(--dim); font-weight: 600; font-size: 0.85rem; white-space: nowrap; }
tbody th { font-weight: 600; white-space: nowrap; }
@media (max-width: 40rem) {
  th, td { padding: 0.5rem 0.8rem; }
  tbody th { white-space: normal; }
  .stack thead { position: absolute; clip-path: inset(50%); }
  .stack tr { display: grid; gap: 0.1rem; padding: 0.6rem 0; border-top: 1px solid var(--line); }
  .stack tbody tr:first-child { border-top: 0; }
  .stack th, .stack td { border: 0; padding-block: 0; white-space: normal; overflow-wrap: anywhere; }
  .stack tr { grid-template-columns: auto minmax(0, 1fr); }
  .stack th, .stack td:last-child { grid-column: 1 / -1; }
  .stack td:empty { display: none; }
  .takes td:nth-child(2)::before, .answers td:nth-child(2)::before { content: "Type\a0"; color: var(--dim); }
  .takes td:nth-child(3)::before { content: "Required\a0"; color: var(--dim); }
  .answers td:nth-child(3)::before { content: "Present\a0"; color: var(--dim); }
}
caption { text-align: left; }
summary + .scroll { margin-top: 0.75rem; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.bar { display: block; width: 100%; min-width: 2.5rem; height: 0.6rem; margin-top: 0.5em; border-radius: 0.3rem; background: var(--soft); }
.bar rect { fill: var(--accent); }
.figures { display: flex; flex-wrap: wrap; gap: 1rem 3rem; }
.figures div { display: grid; }
.figures dt { order: 1; color: var(--dim); font-size: 0.95rem; }
.figures dd { font-size: 1.75rem; font-weight: 650; line-height: 1.3; font-variant-numeric: tabular-nums; letter-spacing: -0.02em; }
`;

/** What one reads on paper: everything, in black, without what can only be pressed. */
const paper = `
@media (prefers-reduced-motion: no-preference) {
  html { scroll-behavior: smooth; }
}
@media print {
  :root { --ground: #fff; --card: #fff; --soft: #fff; --text: #000; --dim: #333; --accent: #000; --line: #aaa; }
  .skip, .jump, .choices, button, section:has(> .try) { display: none !important; }
  .panel, .values-example, .values-placeholders { display: grid !important; }
  .tabs > .panel > h3 { display: block !important; }
  pre { white-space: pre-wrap !important; max-height: none !important; overflow: visible !important; }
  h2, h3, .label { break-after: avoid; }
  .card, tr { break-inside: avoid; }
}
`;

/** The style of every page: one text, so that a policy can name it by its hash; without blanks that say nothing. */
export const pageStyle = [colours, text, layout, codeStyle, formStyle, paper]
  .join("")
  .replaceAll(/\s*([{};,])\s*/g, "$1")
  .replaceAll(": ", ":")
  .trim();
