import { bindings } from "../../contract/bindings.ts";
import type { Operation } from "../../contract/operation.ts";
import {
  type Described,
  isRestApi,
  relativeAddressOf,
  relativeRootOf,
  restApiOf,
} from "../described-service.ts";
import { breakable, html, type Markup } from "../markup.ts";
import { codeSamples } from "../samples/code-samples.ts";
import { languageOf } from "../samples/indent.ts";
import { textOfMessage } from "../samples/request.ts";
import { sampleCall } from "../samples/sample-call.ts";
import {
  type MessageSample,
  resourceMessages,
  sampleMessages,
} from "../samples/sample-messages.ts";
import { renderChoices, renderCode, renderPanels, renderSampleTabs } from "./elements.ts";
import { type Page, renderPage, titleOf } from "./layout.ts";
import { renderResource, renderResponseFields } from "./parts.ts";
import { renderStatuses } from "./statuses.ts";
import { describeCall, renderResponsePanel, renderTestForm } from "./test-form.ts";

/**
 * The page of an operation: a form that calls it, response fields, samples and all messages.
 *
 * @param hasForm false where the reader may not call the operation from the page.
 * @throws {RangeError} when the service has no such operation.
 */
export function renderOperationPage(service: Described, name: string, hasForm: boolean): Page {
  const { contract } = service;
  const { operation } = sampleCall(service, name, "example");
  const isRest = isRestApi(service);
  const samples = isRest
    ? [resourceMessages(service, name)]
    : sampleMessages(service, name, "example");
  const [first] = samples;
  const shown = samples.find(({ binding }) => binding === "json") ?? first;
  if (shown === undefined) throw new RangeError(`${contract.name} has no binding`);
  const choices = Object.fromEntries(samples.map(({ binding, title }) => [binding, title]));
  const hasChoice = samples.length > 1;
  return renderPage({
    title: `${name} · ${titleOf(contract)}`,
    description: operation.summary,
    root: relativeRootOf(contract),
    current: { contract, operation: name },
    api: restApiOf(service),
    trail: { [titleOf(contract)]: relativeAddressOf(contract), [name]: `?op=${name}` },
    main: html`<div class="text">${renderIntro(service, name, operation)}
      ${hasChoice && renderChoices("binding", "Binding", choices, shown.binding)}
      <section aria-labelledby="parameters"><h2 id="parameters">Parameters</h2>
      ${renderTestForm(service, name, operation, hasForm)}</section></div>
      <div class="samples" data-call="${JSON.stringify(describeCall(service, name, samples, shown))}">
      <section aria-labelledby="code-samples"><h2 id="code-samples">Code samples</h2>
      ${hasChoice && html`<noscript><p class="note">For ${shown.title}; JavaScript writes them for the others.</p></noscript>`}
      ${renderSampleTabs("sample", codeSamples(service, name, shown))}</section>
      ${renderResponsePanel(operation, shown)}</div>
      <div class="text">
      <section aria-labelledby="response-fields"><h2 id="response-fields">Response</h2>
      ${renderResponseFields(operation)}</section>
      ${renderStatuses(service, name, operation)}
      ${renderMessages(samples, isRest ? [] : sampleMessages(service, name, "placeholders"))}
      ${renderSeeAlso(service)}</div>`,
    hasScript: true,
  });
}

function renderIntro(
  { contract }: Described,
  name: string,
  { summary, credentials, token, resource, callers = contract.callers }: Operation,
): Markup {
  const origins = credentials
    ? "Uses passwords or cookies. Pages of other sites can call it only if a form lists their origin."
    : callers === "any"
      ? "Pages of any site can call it."
      : "Pages of other sites can call it only if their origin is listed.";
  return html`<div class="intro">
    <h1>${breakable(name)}</h1>
    ${resource !== undefined && renderResource(contract.path, resource)}
    <p class="lead">${summary}</p>
    <p class="note">${token && "Needs a token. "}${origins}</p>
    </div>`;
}

function renderMessages(
  examples: readonly MessageSample[],
  placeholders: readonly MessageSample[],
): Markup {
  const panels = examples.map((example, index) => ({
    title: example.title,
    content: html`${renderPair(example, "example")}${renderPair(placeholders[index], "placeholders")}`,
  }));
  const values = { example: "Example", placeholders: "Placeholders" };
  const content =
    panels.length === 1
      ? panels[0]?.content
      : html`<p class="note">The HTTP messages over the chosen binding. Placeholders show the type of each value.</p>
    ${renderChoices("values", "Values", values)}
    <div class="tabs">${renderPanels(panels)}</div>`;
  return html`<section class="messages" aria-labelledby="messages"><h2 id="messages">Requests and responses</h2>
    ${content}</section>`;
}

function renderPair(sample: MessageSample | undefined, values: string): Markup | undefined {
  if (sample === undefined) return undefined;
  const { binding, title, description } = sample;
  const types = {
    request: description.headers["Content-Type"] ?? "",
    response: binding === "rest" ? "application/json" : bindings[binding].responseContentType,
  };
  const blocks = (["request", "response"] as const).map((kind) =>
    renderCode({
      id: `${binding}-${values}-${kind}`,
      label: `${title} ${kind}, ${values}`,
      text: textOfMessage(sample[kind]),
      language: `http-${languageOf(types[kind])}`,
    }),
  );
  return html`<div class="values-${values}">
    ${blocks}
    </div>`;
}

function renderSeeAlso(service: Described): Markup {
  const address = relativeAddressOf(service.contract);
  const links = isRestApi(service)
    ? { "OpenAPI document": "/openapi.json", Problems: "#problems", "Browser SDK": "#browser-sdk" }
    : { WSDL: "?wsdl", Clients: "#clients", "Script proxy": "/js" };
  const items = Object.entries(links).map(
    ([text, href]) => html`<li><a href="${address}${href}">${text}</a></li>`,
  );
  return html`<section aria-labelledby="see-also"><h2 id="see-also">See also</h2>
    <ul class="links">${items}</ul></section>`;
}
