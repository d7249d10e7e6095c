import { bindings } from "../../contract/bindings.ts";
import type { Operation, Part, Resource, ScalarName, Shape } from "../../contract/operation.ts";
import { requestOf } from "../described-service.ts";
import { breakable, type Content, html, type Markup } from "../markup.ts";

/** Types of values, and of those of REST, whose longs and times are strings. */
const typeNames: Readonly<Record<"xml" | "rest", Readonly<Record<ScalarName, string>>>> = {
  xml: {
    string: "string",
    int: "int (32-bit)",
    long: "long (64-bit)",
    boolean: "boolean",
    dateTime: "dateTime (ISO 8601)",
  },
  rest: {
    string: "string",
    int: "integer (32-bit)",
    long: "string (64-bit integer)",
    boolean: "boolean",
    dateTime: "string (ISO 8601)",
  },
};

/** How the values of an operation are written. */
export function formOf({ resource }: Operation): keyof typeof typeNames {
  return resource === undefined ? "xml" : "rest";
}

/** Method and path of a resource; the path breaks at its slashes alone. */
export function renderResource(apiPath: string, { method, path }: Resource): Markup {
  const segments = path.split("/").map((segment) => html`<wbr>/${segment}`);
  return html`<p><strong class="tag">${method}</strong> <code>${apiPath}${segments}</code></p>`;
}

/** The name of a part with its type and limits. `need` says whether it is there: required, or absent if not known. */
export function renderName(
  name: string,
  part: Part,
  { need, form }: { readonly need: string; readonly form: keyof typeof typeNames },
): Markup {
  const { type, list, nillable, maxLength } = part;
  const suffix = list ? "[]" : "";
  const facts: readonly Content[] = [
    typeof type === "string"
      ? typeNames[form][type] + suffix
      : html`<a href="#type-${type.name}">${type.name}${suffix}</a>`,
    need !== "" && html`<em${need === "required" && html` class="required"`}>${need}</em>`,
    part.form,
    maxLength !== undefined && `at most ${maxLength} characters`,
    nillable && "may be null",
  ].filter((fact) => fact !== false && fact !== undefined);
  return html`<code>${breakable(name)}</code> <small>${facts.map((fact, index) => html`${index > 0 && " · "}${fact}`)}</small>`;
}

/** What a part means, its values and an example. */
export function renderMeaning(
  { meaning, values, nilOver = [] }: Part,
  example: string | undefined,
): Markup {
  const titles = nilOver.map((binding) => bindings[binding].title);
  return html`<p>${meaning}${titles.length > 0 && ` Always nil over ${titles.join(" and ")}.`}</p>
    ${values !== undefined && html`<p class="note">Values: ${values.map((value, index) => html`${index > 0 && ", "}<code>${value}</code>`)}</p>`}
    ${values === undefined && example !== undefined && html`<p class="note">Example: <code class="anywhere">${example}</code></p>`}`;
}

/** Whether the request must have a part. */
export function needOf({ optional }: Part): string {
  return optional ? "optional" : "required";
}

/** The fields of a response: those of its type, then each further type once. */
export function renderResponseFields(operation: Operation): Markup {
  const { result, example } = operation;
  const form = formOf(operation);
  if (result === undefined) {
    return html`<p class="note">${form === "xml" ? "Empty." : "Empty, with status 204."}</p>`;
  }
  return html`${[...typesOf(result, example?.result)].map(
    ([{ name, parts }, value]) => html`<div class="type">
      <h3 id="type-${name}">${breakable(name)}</h3>
      <dl class="parts">${Object.entries(parts).map(
        ([
          part,
          of,
        ]) => html`<div><dt>${renderName(part, of, { need: of.optional ? "absent if not known" : "", form })}</dt>
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
    ([
      name,
      part,
    ]) => html`<div><dt>${renderName(name, part, { need: needOf(part), form: formOf(operation) })}</dt>
    <dd>${renderMeaning(part, examples.get(name))}</dd></div>`,
  )}</dl>`;
}
