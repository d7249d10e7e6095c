import { type Content, html, type Markup, verbatim } from "../markup.ts";
import type { CodeSample } from "../samples/code-samples.ts";
import { wrapPoint } from "../samples/indent.ts";

/** A text in a block that can be copied and scrolled. */
export interface CodeBlock {
  /** Id of the text, unique on its page. */
  readonly id: string;
  /** Accessible name; the button says `Copy` and this. */
  readonly label: string;
  readonly text: string;
  /** Language of the colours: xml, json, form, program, or `http-` and that of the body. */
  readonly language: string;
}

/** A block with its label above it. */
export function renderCode(block: CodeBlock): Markup {
  return html`<div class="code"><p class="label">${block.label}</p>${renderPlainCode(block)}</div>`;
}

/**
 * A block whose label only screen readers get. It can scroll, so that it needs keyboard focus and a
 * name. Its button is hidden until the script that makes it work runs.
 */
export function renderPlainCode({ id, label, text, language }: CodeBlock): Markup {
  const pieces = text.split(wrapPoint);
  const content = pieces.map((piece, index) => html`${index > 0 && wrap}${verbatim(piece)}`);
  return html`<button type="button" data-copy="${id}" aria-label="Copy ${label}" hidden>Copy</button><pre tabindex="0" role="group" aria-label="${label}"><code id="${id}" data-language="${language}">${content}</code></pre>`;
}

const wrap = html`<wbr>`;

/** A table that scrolls where it is too wide; on a narrow screen its cells are stacked. */
export function renderTable(
  label: string,
  headings: readonly Content[],
  rows: readonly Markup[],
): Markup {
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${label}"><table class="stack">
    <thead><tr>${headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
    <tbody>${rows}</tbody></table></div>`;
}

/** Panels of which one is shown; in print all are shown. */
export function renderPanels(
  panels: readonly { readonly title: string; readonly content: Markup }[],
): readonly Markup[] {
  return panels.map(
    ({ title, content }) =>
      html`<section class="panel" aria-label="${title}"><h3>${title}</h3>${content}</section>`,
  );
}

/** A row of radio buttons with titles by value; the first is selected by default. */
export function renderChoices(
  name: string,
  legend: string,
  choices: Readonly<Record<string, string>>,
  selected = Object.keys(choices)[0],
): Markup {
  const labels = Object.entries(choices).map(
    ([value, title]) =>
      html`<label><input type="radio" name="${name}" value="${value}"${value === selected && html` checked`}>${title}</label>`,
  );
  return html`<fieldset class="choices ${name}"><legend class="label">${legend}</legend>${labels}</fieldset>`;
}

/** Programs of several languages, of which one is shown; `name` is that of the row of languages. */
export function renderSampleTabs(
  name: string,
  samples: readonly (CodeSample & { readonly note?: string })[],
): Markup {
  const choices = Object.fromEntries(samples.map(({ language }) => [language, language]));
  const panels = samples.map(({ language, code, note }, index) => ({
    title: language,
    content: html`${note !== undefined && html`<p class="note">${note}</p>`}${renderPlainCode({
      id: `${name}-${index}`,
      label: `${language} ${name}`,
      text: code,
      language: "program",
    })}`,
  }));
  return html`<div class="tabs">${renderChoices(name, "Language", choices)}${renderPanels(panels)}</div>`;
}
