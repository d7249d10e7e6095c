/** Style of the test form and of the answer beside it. */
export const formStyle = `
.try { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.5rem; background: var(--card); border: 1px solid var(--line); border-radius: 0.75rem; padding: clamp(1rem, 3vw, 1.75rem); }
@media (min-width: 60rem) { .try:not(.long) { grid-template-columns: minmax(0, 5fr) minmax(0, 7fr); gap: 2.25rem; }
  .try:not(.long) > .answer { position: sticky; top: 1.25rem; align-self: start; } }
.call { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.25rem; align-content: start; }
.call form, .fields { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; }
.fields { border: 0; margin: 0; padding: 0; min-width: 0; }
.field { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.25rem; }
.field label { font-weight: 600; font-size: 0.95rem; overflow-wrap: anywhere; }
.field small { color: var(--dim); font-size: 0.85rem; font-weight: 400; }
.field input, .field select { font: inherit; min-height: 2.65rem; color: inherit; width: 100%; min-width: 0; padding: 0.45rem 0.7rem; background: var(--ground); border: 1px solid var(--edge); border-radius: 0.45rem; }
.field input:focus-visible, .field select:focus-visible { outline-offset: 0; border-radius: 0.45rem; }
.long .send { grid-column: 1 / -1; margin-top: 0.25rem; }
.long .fields { grid-template-columns: repeat(auto-fill, minmax(min(100%, 14rem), 1fr)); align-items: end; }
.call .choices legend { float: none; margin-bottom: 0.4rem; font-weight: 600; font-size: 0.95rem; color: var(--text); }
.send { justify-self: start; white-space: normal; text-wrap: balance; max-width: 100%; overflow-wrap: anywhere; font-size: 1rem; font-weight: 600; padding: 0.5rem clamp(0.75rem, 4vw, 1.5rem); background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
.send:hover { background: var(--accent); filter: brightness(1.12); }
.send:disabled { filter: grayscale(1); cursor: not-allowed; }
.send[aria-disabled="true"] { cursor: progress; }
.answer { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.9rem; align-content: start; min-width: 0; }
.said-so { display: grid; gap: 0.6rem; }
.outcome { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.4rem 0.9rem; color: var(--dim); }
.outcome strong { font-size: 1.05rem; color: var(--text); }
.outcome.done strong { color: var(--good); }
.outcome.notdone strong { color: var(--string); }
.outcome.failed strong { color: var(--bad); }
.outcome:empty, .said:empty { display: none; }
.field ::placeholder { color: var(--dim); opacity: 1; font-style: italic; }
.notdone + .said { border-color: var(--string); background: var(--soft); }
.said { border-left: 4px solid var(--bad); background: var(--bad-tint); padding: 0.6rem 0.9rem; border-radius: 0.25rem; overflow-wrap: anywhere; }
.answer details { border-top: 1px solid var(--line); padding-top: 0.6rem; min-width: 0; }
.answer details pre { margin-top: 0.5rem; }
summary { cursor: pointer; color: var(--accent); font-size: 0.95rem; width: fit-content; }
.check { display: inline-flex; gap: 0.5rem; align-items: center; font-size: 0.9rem; color: var(--dim); }
.check input { accent-color: var(--accent); width: 1rem; height: 1rem; margin: 0; }
`;
