import { escapeHtml } from "../codec/text.ts";
import { escapeAttribute } from "../codec/xml/escape.ts";
import type { Asset } from "./assets/bundle.ts";

/** HTML or XML. Only functions of this file make it, so that no other text passes for it. */
export interface Markup {
  readonly [isMarkup]: string;
}

const isMarkup = Symbol("HTML");

/** Content of markup: text and numbers are escaped, false and undefined leave nothing. */
export type Content = Markup | string | number | false | undefined | readonly Content[];

/** Makes markup from a template literal. */
export type MarkupTag = (template: TemplateStringsArray, ...values: readonly Content[]) => Markup;

/**
 * HTML from a template. Values are escaped for content and for attributes in double quotes. The
 * template's indentation is removed, that of values is kept.
 */
export const html: MarkupTag = tag(escapeHtml);

/** As {@link html}, for XML. */
export const xml: MarkupTag = tag(escapeAttribute);

function tag(escapeText: (text: string) => string): MarkupTag {
  const render = (value: Content): string => {
    if (value === undefined || value === false) return "";
    if (typeof value === "string") return escapeText(value);
    if (typeof value === "number") return String(value);
    return isMarkup in value ? value[isMarkup] : value.map(render).join("");
  };
  return (template, ...values) => {
    const [first = "", ...rest] = template.map((text) => text.replace(/\n\s+/g, "\n"));
    const parts = rest.map((text, index) => render(values[index]) + text);
    return { [isMarkup]: first + parts.join("") };
  };
}

/** Text as element content only, whose quotes and `>` need none of the escapes of {@link html}. */
export function verbatim(text: string): Markup {
  const escaped = text
    .toWellFormed()
    .replace(/[&<]/g, (found) => (found === "&" ? "&amp;" : "&lt;"));
  return { [isMarkup]: escaped };
}

/** The text of a style, script or guide: part of the program, and checked when it was built. */
export function inlineAsset({ text }: Pick<Asset, "text">): Markup {
  return { [isMarkup]: text };
}

/** A name that breaks between its words, so that a narrow screen does not break it within one. */
export function breakable(name: string): Markup {
  const [first = "", ...rest] = name.split(/(?<=[a-z0-9])(?=[A-Z])/);
  return html`${first}${rest.map((word) => html`<wbr>${word}`)}`;
}

/** The text of markup. */
export function textOf(markup: Markup): string {
  return markup[isMarkup];
}
