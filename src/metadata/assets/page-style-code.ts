/** Style of messages and programs: blocks that scroll inside themselves, and tabs that need no script. */
export const codeStyle = `
.code { position: relative; display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.35rem; min-width: 0; }
.code-head { display: flex; align-items: center; justify-content: space-between; gap: 0.75rem; min-height: 1.9rem; }
pre { margin: 0; padding: 0.9rem 1.1rem; background: var(--soft); border: 1px solid var(--line); border-radius: 0.6rem; overflow: auto; max-height: 32rem; line-height: 1.5; font-size: 0.85rem; tab-size: 2; white-space: pre; }
pre code { font-size: inherit; }
pre:focus-visible { border-radius: 0.6rem; outline-offset: 1px; }
.t-name { color: var(--name); }
.t-string { color: var(--string); }
.t-number { color: var(--number); }
.t-quiet { color: var(--dim); }
.t-word { color: var(--accent); }
.t-start { color: var(--text); font-weight: 600; }
button { font: inherit; font-size: 0.85rem; line-height: 1.4; color: var(--accent); background: var(--card); border: 1px solid var(--edge); border-radius: 0.45rem; padding: 0.2rem 0.7rem; cursor: pointer; white-space: nowrap; }
button:hover { background: var(--tint); border-color: var(--accent); }
.line { display: flex; gap: 0.75rem; align-items: center; justify-content: space-between; }
.line pre { flex: 1; padding: 0.5rem 0.9rem; min-width: 0; }
.tabs { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; }
.panel, .values-example, .values-placeholders { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.1rem; min-width: 0; }
.pair { display: grid; gap: 1.1rem 1.5rem; grid-template-columns: minmax(0, 1fr); align-items: start; }
.label { font-size: 0.85rem; font-weight: 600; color: var(--dim); }
.choices { border: 0; margin: 0; padding: 0; min-width: 0; display: flex; flex-wrap: wrap; gap: 0.4rem; align-items: center; }
.choices legend { float: left; padding: 0; margin-right: 0.6rem; color: var(--dim); font-size: 0.92rem; }
.choices label { position: relative; display: inline-flex; }
.choices input { position: absolute; inset: 0; width: 100%; height: 100%; margin: 0; opacity: 0; cursor: pointer; }
.choices span { padding: 0.25rem 0.85rem; border: 1px solid var(--edge); border-radius: 2rem; font-size: 0.92rem; line-height: 1.4; }
.choices input:hover + span { background: var(--tint); }
.choices input:checked + span { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
.choices input:focus-visible + span { outline: 3px solid var(--accent); outline-offset: 2px; }
@media (forced-colors: active) { .choices input:checked + span { forced-color-adjust: none; background: Highlight; color: HighlightText; } }
@supports selector(:has(a)) {
  .tabs > .panel { display: none; }
  .tabs:has(> .choices > label:nth-of-type(1) > :checked) > .panel:nth-of-type(1),
  .tabs:has(> .choices > label:nth-of-type(2) > :checked) > .panel:nth-of-type(2),
  .tabs:has(> .choices > label:nth-of-type(3) > :checked) > .panel:nth-of-type(3),
  .tabs:has(> .choices > label:nth-of-type(4) > :checked) > .panel:nth-of-type(4),
  .tabs:has(> .choices > label:nth-of-type(5) > :checked) > .panel:nth-of-type(5) { display: grid; }
  .tabs > .panel > h3 { display: none; }
  .messages:has(.values label:nth-of-type(1) > :checked) .values-placeholders,
  .messages:has(.values label:nth-of-type(2) > :checked) .values-example { display: none; }
}
@media (min-width: 64rem) { .pair { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); } }
`;
