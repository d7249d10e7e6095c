import { bindings } from "../../contract/bindings.ts";
import type { Operation, Part, Resource, ScalarName, Shape } from "../../contract/operation.ts";
import { breakable, type Content, html, type Markup } from "../markup.ts";

/** Types of values, and of those of REST, whose longs and times are strings. */
const typeNames: Readonly<Record<"xml" | "rest", Readonly<Record<ScalarName, string>>>> = {
  xml: {
    string: "string",
    int: "int (32-bit)",
    long: "long (64-bit)",
    double: "double",
    boolean: "boolean",
    dateTime: "dateTime (ISO 8601)",
  },
  rest: {
    string: "string",
    int: "integer (32-bit)",
    long: "string (64-bit integer)",
    double: "number",
    boolean: "boolean",
    dateTime: "string (ISO 8601)",
  },
};

/** Notation of values, and words for required parts and those that may be absent. */
interface PartsStyle {
  readonly form: keyof typeof typeNames;
  readonly required: string;
  readonly optional: string;
}

/** The style of the parts of a request. */
export function requestStyle({ resource }: Operation): PartsStyle {
  return { form: resource ? "rest" : "xml", required: "required", optional: "optional" };
}

type Values = Readonly<Record<string, unknown>>;

/** Method and path of a resource; the path breaks at its slashes alone. */
export function renderResource(apiPath: string, { method, path }: Resource): Markup {
  const segments = path.split("/").map((segment) => html`<wbr>/${segment}`);
  return html`<p><strong class="tag">${method}</strong> <code>${apiPath}${segments}</code></p>`;
}

/** Parts with what they mean and their examples. */
export function renderParts(parts: Shape["parts"], values: Values, style: PartsStyle): Markup {
  const rows = Object.entries(parts).map(
    ([name, part]) => html`<div><dt>${renderName(name, part, style)}</dt>
      <dd>${renderMeaning(part, exampleText(values[name]))}</dd></div>`,
  );
  return rows.length === 0 ? html`<p class="note">None.</p>` : html`<dl class="parts">${rows}</dl>`;
}

/** The name of a part with its type and limits. */
export function renderName(name: string, part: Part, style: PartsStyle): Markup {
  const { type, list, nillable, maxLength, optional } = part;
  const suffix = list ? "[]" : "";
  const need = optional ? style.optional : style.required;
  const facts: readonly Content[] = [
    typeof type === "string"
      ? typeNames[style.form][type] + suffix
      : html`<a href="#type-${type.name}">${type.name}${suffix}</a>`,
    need !== "" && html`<em${need === "required" && html` class="required"`}>${need}</em>`,
    part.form,
    maxLength !== undefined && `at most ${maxLength} characters`,
    nillable && "may be null",
  ];
  return html`<code>${breakable(name)}</code> <small>${separate(facts, " · ")}</small>`;
}

/** Meaning of a part, its values and an example. */
export function renderMeaning({ meaning, values, nilOver = [] }: Part, example?: string): Markup {
  const titles = nilOver.map((binding) => bindings[binding].title);
  const words = values?.map((value) => html`<code>${value}</code>`);
  return html`<p>${meaning}${titles.length > 0 && ` Always nil over ${titles.join(" and ")}.`}</p>
    ${words !== undefined && html`<p class="note">Values: ${separate(words, ", ")}</p>`}
    ${!words && example !== undefined && html`<p class="note">Example: <code class="anywhere">${example}</code></p>`}`;
}

function separate(all: readonly Content[], separator: string): readonly Content[] {
  const present = all.filter((one) => one !== false && one !== undefined);
  return present.flatMap((one, index) => (index > 0 ? [separator, one] : [one]));
}

/** Text of an example; undefined for what is not a scalar, which its type shows. */
export function exampleText(value: unknown): string | undefined {
  if (typeof value !== "object") return value === undefined ? undefined : String(value);
  return value !== null && "text" in value ? String(value.text) : undefined;
}

/** The fields of a response: those of its type, then each further type once. */
export function renderResponseFields({ result, example, resource }: Operation): Markup {
  if (result === undefined) {
    return html`<p class="note">${resource ? "Empty, with status 204." : "Empty."}</p>`;
  }
  const style = {
    form: resource ? "rest" : "xml",
    required: "",
    optional: "absent if not known",
  } as const;
  const types = [...typesOf(result, example?.result)].map(
    ([{ name, parts }, values]) => html`<div class="type">
      <h3 id="type-${name}">${breakable(name)}</h3>
      ${renderParts(parts, values, style)}</div>`,
  );
  return html`${types}`;
}

/** A shape and the shapes of its parts, each once, with an example of each. */
function typesOf(shape: Shape, value: unknown, known = new Map<Shape, Values>()) {
  if (known.has(shape)) return known;
  const values = ([value].flat()[0] ?? {}) as Values;
  known.set(shape, values);
  for (const [name, { type }] of Object.entries(shape.parts)) {
    if (typeof type === "object") typesOf(type, values[name], known);
  }
  return known;
}
