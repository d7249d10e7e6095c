import type { BindingName } from "../../contract/bindings.ts";
import type { Operation } from "../../contract/operation.ts";
import { joinScripts } from "../assets/copy-button.ts";
import { answerScript, operationScript } from "../assets/test-form.ts";
import { type DescribedService, operationsOf } from "../described-service.ts";
import { codeSamples } from "../samples/code-samples.ts";
import {
  type BindingSample,
  type HttpMessage,
  sampleMessages,
} from "../samples/sample-messages.ts";
import { renderChoices, renderCode, renderTabs } from "./code-block.ts";
import { breakable, html, type Markup } from "./html.ts";
import { type Page, renderPage } from "./layout.ts";
import { relativeAddressOf, relativeRootOf } from "./page-service.ts";
import { describeParameters, describeResponse, type PartRow } from "./parts-table.ts";
import { renderTestForm } from "./test-form.ts";

const script = joinScripts(operationScript, answerScript);

/** Languages of the bodies of each binding, for the colours: of a request and of its answer. */
const languages: Readonly<Record<BindingName, readonly [request: string, answer: string]>> = {
  soap11: ["xml", "xml"],
  soap12: ["xml", "xml"],
  "http-get": ["text", "xml"],
  "http-post": ["form", "xml"],
  json: ["json", "json"],
};

/**
 * The page of an operation: what it takes and answers, a form that calls it in place, its messages over every binding
 * and programs that call it.
 *
 * @param hasForm whether whoever reads it may call by the form.
 * @throws {RangeError} when the service has no such operation.
 */
export function renderOperationPage(
  service: DescribedService,
  name: string,
  hasForm: boolean,
): Page {
  const { contract } = service;
  const operation = contract.operations[name];
  if (operation === undefined) throw new RangeError(`There is no operation ${name}`);
  const samples = sampleMessages(service, name, "example");
  const self = relativeAddressOf(contract);
  const form = renderTestForm(service, { name, operation, samples, hasForm });
  return renderPage({
    title: `${name} · ${contract.name}`,
    description: operation.summary,
    root: relativeRootOf(contract),
    trail: [
      { text: contract.name, href: self },
      { text: name, href: `?op=${name}` },
    ],
    main: html`${renderIntro(name, operation, samples)}
      <section aria-labelledby="try"><h2 id="try">Try it</h2>${form}</section>
      ${renderParts(operation, samples)}
      ${renderMessages(samples, sampleMessages(service, name, "placeholders"))}
      ${renderPrograms(service, name)}
      ${renderOthers(service, name)}`,
    script,
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
    ${credentials && html`<p class="note">Acts on passwords or cookies: pages of other sites may call it only where their origin is listed for a form.</p>`}
    <nav aria-label="On this page"><ul class="jump">
    <li><a href="#try">Try it</a></li>
    <li><a href="#takes">What it takes</a></li>
    <li><a href="#answers">What it answers</a></li>
    <li><a href="#messages">Messages</a></li>
    <li><a href="#programs">Programs</a></li>
    </ul></nav>
    </div>`;
}

function titlesOf(samples: readonly BindingSample[]): ReadonlyMap<BindingName, string> {
  return new Map(samples.map(({ binding, title }) => [binding, title]));
}

function renderParts(operation: Operation, samples: readonly BindingSample[]): Markup {
  const { result } = operation;
  const answer =
    result === undefined
      ? html`<p class="note">Nothing but that the call was carried out.</p>`
      : renderTable("answers", describeResponse(result, titlesOf(samples)));
  return html`<section aria-labelledby="takes"><h2 id="takes">What it takes</h2>
    ${renderTable("takes", describeParameters(operation))}</section>
    <section aria-labelledby="answers"><h2 id="answers">What it answers</h2>${answer}</section>`;
}

/** Headings of the columns, and what the table is about, by what it describes. */
const headings = {
  takes: { about: "What it takes", name: "Parameter", need: "Required" },
  answers: { about: "What it answers", name: "Member", need: "Present" },
} as const;

function renderTable(kind: keyof typeof headings, rows: readonly PartRow[]): Markup {
  const { about, name: nameHeading, need: needHeading } = headings[kind];
  const lines = rows.map(
    ({ name, type, need, note }) =>
      html`<tr><th scope="row"><code>${name}</code></th><td><code>${type}</code></td><td>${need}</td><td>${note}</td></tr>`,
  );
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${about}"><table class="stack ${kind}">
    <thead><tr><th scope="col">${nameHeading}</th><th scope="col">Type</th><th scope="col">${needHeading}</th><th scope="col">Notes</th></tr></thead>
    <tbody>${lines}</tbody></table></div>`;
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
  return html`<section class="messages" aria-labelledby="messages"><h2 id="messages">Messages</h2>
    <p class="note">What goes over the wire, for every binding of the service. Placeholders stand for values of their type.</p>
    ${values}
    <div class="tabs">${renderTabs("message", "Binding", panels)}</div></section>`;
}

function renderPair(sample: BindingSample | undefined, values: string): Markup | undefined {
  if (sample === undefined) return undefined;
  const { binding, title, request, response } = sample;
  const [requestLanguage, answerLanguage] = languages[binding];
  const block = (kind: string, message: HttpMessage, language: string) =>
    renderCode({
      id: `${binding}-${values}-${kind}`,
      label: `${title} ${kind}, ${values}`,
      text: textOfMessage(message),
      language: `http-${language}`,
    });
  return html`<div class="values-${values}"><div class="pair">
    ${block("request", request, requestLanguage)}${block("response", response, answerLanguage)}
    </div></div>`;
}

function textOfMessage({ head, body }: HttpMessage): string {
  return body === "" ? head : `${head}\n\n${body}`;
}

function renderPrograms(service: DescribedService, name: string): Markup {
  const panels = codeSamples(service, name).map(({ language, code }, index) => ({
    title: language,
    content: renderCode({
      id: `program-${index}`,
      label: `${language} program`,
      text: code,
      language: "program",
    }),
  }));
  return html`<section aria-labelledby="programs"><h2 id="programs">Programs</h2>
    <p class="note">Whole programs that make the call of the example and print the answer.</p>
    <div class="tabs">${renderTabs("program", "Language", panels)}</div></section>`;
}

function renderOthers(service: DescribedService, name: string): Markup {
  const links = operationsOf(service)
    .filter(([other]) => other !== name)
    .map(([other]) => html`<li><a href="?op=${other}">${other}</a></li>`);
  return html`<nav class="intro" aria-labelledby="others"><h2 id="others">Other operations</h2><ul class="links">${links}</ul></nav>`;
}
