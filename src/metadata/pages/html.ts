import { escapeHtml } from "../../codec/text.ts";

/** Text that is HTML already. Only {@link html} makes it, so that no other text is ever taken for it. */
export interface Markup {
  readonly [isMarkup]: string;
}

const isMarkup = Symbol("HTML");

/** What may stand in a page: markup as it is, text and numbers with their markup characters escaped; the rest is left out. */
export type Content = Markup | string | number | false | undefined | readonly Content[];

/**
 * Makes markup of a template. Values are escaped, in content as in attributes, which must be in double quotes. Indentation
 * of the template is left out, and kept within the values.
 */
export function html(template: TemplateStringsArray, ...values: readonly Content[]): Markup {
  const [first = "", ...rest] = template.map((text) => text.replace(/\n\s+/g, "\n"));
  const parts = rest.map((text, index) => render(values[index]) + text);
  return { [isMarkup]: first + parts.join("") };
}

/**
 * Text for the content of an element, where quotes and `>` are no markup: half the escapes of {@link html} for messages full of
 * them. Not for attributes.
 */
export function verbatim(text: string): Markup {
  const escaped = text
    .toWellFormed()
    .replace(/[&<]/g, (found) => (found === "&" ? "&amp;" : "&lt;"));
  return { [isMarkup]: escaped };
}

/** A name that may go on in the next line where a word in it begins, so that a narrow screen does not break it within one. */
export function breakable(name: string): Markup {
  const [first = "", ...rest] = name.split(/(?<=[a-z0-9])(?=[A-Z])/);
  return html`${first}${rest.map((word) => html`<wbr>${word}`)}`;
}

/** The text of markup. */
export function textOf(markup: Markup): string {
  return markup[isMarkup];
}

function render(value: Content): string {
  if (value === undefined || value === false) return "";
  if (typeof value === "string") return escapeHtml(value);
  if (typeof value === "number") return String(value);
  return isMarkup in value ? value[isMarkup] : value.map(render).join("");
}
