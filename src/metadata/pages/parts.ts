import { bindings } from "../../contract/bindings.ts";
import type { Operation, Part, ScalarName, Shape } from "../../contract/operation.ts";
import { requestOf, typeNameOf } from "../described-service.ts";
import { html, type Markup } from "../markup.ts";

/** Facts about the format of each type. */
const formats: Readonly<Record<ScalarName, string>> = {
  string: "",
  int: "32-bit integer.",
  long: "64-bit integer: a JavaScript number may round it.",
  boolean: "",
  dateTime: "ISO 8601.",
};

/** The type of a part and whether it is there, after its name. */
export function renderType(part: Part, absent: string): Markup {
  const name = part.list ? `${typeNameOf(part)}[]` : typeNameOf(part);
  const type =
    typeof part.type === "string" ? name : html`<a href="#type-${part.type.name}">${name}</a>`;
  return html`<small>${type}${part.optional && `, ${absent}`}${part.nillable && ", may be null"}</small>`;
}

/** What a part means, its format and an example. */
export function renderMeaning(part: Part, example: string | undefined): Markup {
  const { type, meaning, values, nilOver = [] } = part;
  const titles = nilOver.map((binding) => bindings[binding].title);
  const facts = [
    ...(meaning === undefined ? [] : [meaning]),
    ...(typeof type === "string" && formats[type] !== "" ? [formats[type]] : []),
    ...(titles.length > 0 ? [`Always nil over ${titles.join(" and ")}.`] : []),
  ];
  const limits = [
    ...(part.pattern === undefined ? [] : [html` Form: <code>${part.pattern}</code>`]),
    ...(part.maxLength === undefined ? [] : [` At most ${part.maxLength} characters.`]),
  ];
  return html`<p>${facts.join(" ")}${limits}${values !== undefined && html` One of ${values.map((value, index) => html`${index > 0 && ", "}<code>${value}</code>`)}.`}</p>
    ${example !== undefined && html`<p class="example">Example: <code>${example}</code></p>`}`;
}

/** The fields of a response: those of its type, then each further type once. */
export function renderResponseFields({ result, example, resource }: Operation): Markup {
  if (result === undefined) {
    return html`<p class="note">${resource === undefined ? "Empty." : "Empty, with status 204."}</p>`;
  }
  const absent = resource === undefined ? "absent if not known" : "optional";
  return html`${[...typesOf(result, example?.result)].map(
    ([{ name, parts }, value], index) => html`<div class="type">
      <h3 id="type-${name}">${name}${index === 0 && html` <small>the response</small>`}</h3>
      <dl class="parts">${Object.entries(parts).map(
        ([part, of]) => html`<div><dt><code>${part}</code> ${renderType(of, absent)}</dt>
        <dd>${renderMeaning(of, exampleOf(value, part))}</dd></div>`,
      )}</dl></div>`,
  )}`;
}

/** A shape and the shapes of its parts, each once, with an example of each. */
function typesOf(
  shape: Shape,
  value: unknown,
  known = new Map<Shape, unknown>(),
): ReadonlyMap<Shape, unknown> {
  if (known.has(shape)) return known;
  known.set(shape, value);
  for (const [name, { type }] of Object.entries(shape.parts)) {
    if (typeof type === "object") typesOf(type, [memberOf(value, name)].flat()[0], known);
  }
  return known;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/** Text of an example; undefined for what is not a scalar, which its type shows. */
function exampleOf(value: unknown, name: string): string | undefined {
  const member = memberOf(value, name);
  return member === undefined || member === null || typeof member === "object"
    ? undefined
    : String(member);
}

/** The parameters of an operation, where the reader may not fill them in. */
export function renderParameters(
  operation: Operation,
  examples: ReadonlyMap<string, string>,
): Markup {
  const parts = Object.entries(requestOf(operation).parts);
  if (parts.length === 0) return html`<p class="note">None.</p>`;
  return html`<dl class="parts">${parts.map(
    ([name, part]) => html`<div><dt><code>${name}</code> ${renderType(part, "optional")}</dt>
    <dd>${renderMeaning(part, examples.get(name))}</dd></div>`,
  )}</dl>`;
}
