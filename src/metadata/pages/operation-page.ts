import { bindings } from "../../contract/bindings.ts";
import type { Operation, Part, ScalarName, Shape } from "../../contract/operation.ts";
import {
  type DescribedService,
  operationsOf,
  relativeAddressOf,
  relativeRootOf,
  typeNameOf,
} from "../described-service.ts";
import { breakable, html, type Markup } from "../markup.ts";
import { codeSamples } from "../samples/code-samples.ts";
import { languageOf } from "../samples/indent.ts";
import { textOfMessage } from "../samples/request.ts";
import { type BindingSample, sampleMessages } from "../samples/sample-messages.ts";
import { renderChoices, renderCode, renderTable, renderTabs } from "./elements.ts";
import { type Page, renderPage } from "./layout.ts";
import { renderTestForm } from "./test-form.ts";

/**
 * The page of an operation: parameters, response, a form that calls it, the messages of every binding
 * and code samples.
 *
 * @param hasForm false where the reader may not call the operation from the page.
 * @throws {RangeError} when the service has no such operation.
 */
export function renderOperationPage(
  service: DescribedService,
  name: string,
  hasForm: boolean,
): Page {
  const { contract } = service;
  const operation = contract.operations[name];
  if (operation === undefined) throw new RangeError(`${contract.name} has no operation ${name}`);
  const samples = sampleMessages(service, name, "example");
  const form = renderTestForm(service, { name, operation, samples, hasForm });
  return renderPage({
    title: `${name} · ${contract.name}`,
    description: operation.summary,
    root: relativeRootOf(contract),
    trail: [
      { text: contract.name, href: relativeAddressOf(contract) },
      { text: name, href: `?op=${name}` },
    ],
    main: html`${renderIntro(name, operation, samples)}
      <section aria-labelledby="try"><h2 id="try">Try it</h2>${form}</section>
      ${renderParts(operation)}
      ${renderMessages(samples, sampleMessages(service, name, "placeholders"))}
      ${renderCodeSamples(service, name)}
      ${renderOthers(service, name)}`,
    hasScript: true,
  });
}

function renderIntro(
  name: string,
  { summary, credentials }: Operation,
  samples: readonly BindingSample[],
): Markup {
  return html`<div class="intro">
    <h1>${breakable(name)}</h1>
    <p class="lead">${summary}</p>
    <ul class="tags" aria-label="Bindings">${samples.map(({ title }) => html`<li class="tag">${title}</li>`)}</ul>
    ${credentials && html`<p class="note">Uses passwords or cookies. Pages of other sites can call it only if a form lists their origin.</p>`}
    <nav aria-label="On this page"><ul class="jump">
    <li><a href="#try">Try it</a></li>
    <li><a href="#parameters">Parameters</a></li>
    <li><a href="#response-fields">Response</a></li>
    <li><a href="#messages">Requests and responses</a></li>
    <li><a href="#code-samples">Code samples</a></li>
    </ul></nav>
    </div>`;
}

/** One row of a table of parts. */
interface PartRow {
  readonly name: string;
  readonly part: Part;
  readonly notes: readonly string[];
}

function renderParts({ input, result }: Operation): Markup {
  const parameters = Object.entries(input).map(([name, part]) => rowOf(name, part));
  return html`<section aria-labelledby="parameters"><h2 id="parameters">Parameters</h2>
    ${renderRows("parameters", parameters)}</section>
    <section aria-labelledby="response-fields"><h2 id="response-fields">Response</h2>
    ${result === undefined ? html`<p class="note">Empty.</p>` : renderRows("response-fields", resultRows(result))}</section>`;
}

/** Facts about the format of each type. */
const formats: Readonly<Record<ScalarName, readonly string[]>> = {
  string: [],
  int: ["32-bit integer."],
  long: ["64-bit integer. Do not read it as a JavaScript number."],
  boolean: ["true or false."],
  dateTime: ["ISO 8601, for example 2026-01-31T12:00:00Z."],
};

function rowOf(name: string, part: Part): PartRow {
  const format = typeof part.type === "string" ? formats[part.type] : [];
  const meaning = part.meaning === undefined ? [] : [part.meaning];
  const nil = part.nillable === true ? ["May be nil."] : [];
  return { name, part, notes: [...meaning, ...format, ...nil] };
}

/** The parts of a result. Names of nested parts are paths with dots. */
function resultRows({ parts }: Shape, prefix = ""): readonly PartRow[] {
  return Object.entries(parts).flatMap(([name, part]) => {
    const { type, nilOver = [] } = part;
    const row = rowOf(prefix + name, part);
    const titles = nilOver.map((binding) => bindings[binding].title);
    const nil = titles.length > 0 ? [`Always nil over ${titles.join(" and ")}.`] : [];
    const nested = typeof type === "string" ? [] : resultRows(type, `${prefix}${name}.`);
    return [{ ...row, notes: [...row.notes, ...nil] }, ...nested];
  });
}

/** Texts of the two tables. */
const tables = {
  parameters: { label: "Parameters", name: "Parameter", need: "Required", yes: "Yes", no: "No" },
  "response-fields": {
    label: "Response",
    name: "Field",
    need: "Present",
    yes: "Always",
    no: "If known",
  },
} as const;

function renderRows(kind: keyof typeof tables, rows: readonly PartRow[]): Markup {
  const { label, name: nameHeading, need, yes, no } = tables[kind];
  const lines = rows.map(
    ({ name, part, notes }) =>
      html`<tr><th scope="row"><code>${name}</code></th><td><code>${typeNameOf(part)}</code></td><td>${part.optional === true ? no : yes}</td><td>${notes.join(" ")}</td></tr>`,
  );
  return renderTable(label, [nameHeading, "Type", need, "Notes"], lines, kind);
}

function renderMessages(
  examples: readonly BindingSample[],
  placeholders: readonly BindingSample[],
): Markup {
  const panels = examples.map((example, index) => ({
    title: example.title,
    content: html`${renderPair(example, "example")}${renderPair(placeholders[index], "placeholders")}`,
  }));
  const values = renderChoices("values", "Values", [
    { value: "example", title: "Example" },
    { value: "placeholders", title: "Placeholders" },
  ]);
  return html`<section class="messages" aria-labelledby="messages"><h2 id="messages">Requests and responses</h2>
    <p class="note">The HTTP messages of every binding. Placeholders show the type of each value.</p>
    ${values}
    <div class="tabs">${renderTabs("message", "Binding", panels)}</div></section>`;
}

function renderPair(sample: BindingSample | undefined, values: string): Markup | undefined {
  if (sample === undefined) return undefined;
  const { binding, title, description } = sample;
  const types = {
    request: description.headers["Content-Type"] ?? "",
    response: bindings[binding].responseContentType,
  };
  const blocks = (["request", "response"] as const).map((kind) =>
    renderCode({
      id: `${binding}-${values}-${kind}`,
      label: `${title} ${kind}, ${values}`,
      text: textOfMessage(sample[kind]),
      language: `http-${languageOf(types[kind])}`,
    }),
  );
  return html`<div class="values-${values}"><div class="pair">
    ${blocks}
    </div></div>`;
}

function renderCodeSamples(service: DescribedService, name: string): Markup {
  const panels = codeSamples(service, name).map(({ language, code }, index) => ({
    title: language,
    content: renderCode({
      id: `sample-${index}`,
      label: `${language} sample`,
      text: code,
      language: "program",
    }),
  }));
  return html`<section aria-labelledby="code-samples"><h2 id="code-samples">Code samples</h2>
    <p class="note">Complete programs that make the example call and print the result.</p>
    <div class="tabs">${renderTabs("sample", "Language", panels)}</div></section>`;
}

function renderOthers(service: DescribedService, name: string): Markup {
  const links = operationsOf(service)
    .filter(([other]) => other !== name)
    .map(([other]) => html`<li><a href="?op=${other}">${other}</a></li>`);
  return html`<nav class="intro" aria-labelledby="others"><h2 id="others">Other operations</h2><ul class="links">${links}</ul></nav>`;
}
