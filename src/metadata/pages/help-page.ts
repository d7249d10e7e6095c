import type { Operation, Part } from "../../contract/operation.ts";
import { joinScripts } from "../assets/copy-button.ts";
import { type DescribedService, operationsOf } from "../described-service.ts";
import { sampleMessages } from "../samples/sample-messages.ts";
import { renderClients } from "./client-recipes.ts";
import { renderCodeLine } from "./code-block.ts";
import { listDocuments } from "./document-list.ts";
import { breakable, html, type Markup } from "./html.ts";
import { type Page, renderPage } from "./layout.ts";
import { relativeAddressOf, relativeRootOf } from "./page-service.ts";

const script = joinScripts();

/** Most characters of a name that a page repeats. */
const repeatedMax = 80;

/**
 * The page that a browser sees at the address of a service: its operations, its documents, its bindings, and how a client of
 * it is made.
 *
 * @param unknown name of an operation that was asked for and is none; the page says so.
 */
export function renderHelpPage(service: DescribedService, unknown?: string): Page {
  const { contract, address } = service;
  return renderPage({
    title: contract.name,
    description: contract.summary,
    root: relativeRootOf(contract),
    trail: [{ text: contract.name, href: relativeAddressOf(contract) }],
    main: html`<div class="intro">
      <h1>${breakable(contract.name)}</h1>
      <p class="lead">${contract.summary}</p>
      ${unknown !== undefined && renderNotice(unknown)}
      ${renderCodeLine({ id: "address", label: "the address of the service", text: address, language: "text" })}
      </div>
      <section aria-labelledby="operations"><h2 id="operations">Operations</h2>
      <ul class="rows">${operationsOf(service).map(renderOperation)}</ul></section>
      ${renderDocuments(service)}
      ${renderBindings(service)}
      ${renderClients(service)}`,
    script,
  });
}

function renderNotice(unknown: string): Markup {
  const name = unknown.length > repeatedMax ? `${unknown.slice(0, repeatedMax)}…` : unknown;
  return html`<p class="notice" role="alert">There is no operation <strong class="anywhere">${name}</strong> here. Those that there are stand below.</p>`;
}

function renderOperation([name, operation]: readonly [string, Operation]): Markup {
  const { summary, input, result } = operation;
  const parts = Object.entries(input).map(
    ([part, of]) => `${part}${of.optional === true ? "?" : ""}: ${typeOf(of)}`,
  );
  const answer = result === undefined ? "nothing" : result.name;
  return html`<li><div>
    <h3><a href="?op=${name}">${name}</a></h3>
    <p>${summary}</p></div>
    <dl class="facts note"><dt>Takes</dt><dd><code>${parts.join(", ")}</code></dd>
    <dt>Answers</dt><dd><code>${answer}</code></dd></dl>
    </li>`;
}

function typeOf({ type }: Part): string {
  return typeof type === "string" ? type : type.name;
}

function renderDocuments({ contract }: DescribedService): Markup {
  const rows = listDocuments(contract).map(
    ({ text, href, meaning }) =>
      html`<tr><th scope="row"><a href="${href}">${text}</a></th><td>${meaning}</td></tr>`,
  );
  return html`<section aria-labelledby="documents"><h2 id="documents">Documents</h2>
    <div class="scroll" tabindex="0" role="group" aria-label="Documents"><table class="stack">
    <thead><tr><th scope="col">Document</th><th scope="col">What it is for</th></tr></thead>
    <tbody>${rows}</tbody></table></div></section>`;
}

/** Bindings as the first operation is called over them. */
function renderBindings(service: DescribedService): Markup {
  const [[first] = [""]] = operationsOf(service);
  const rows = sampleMessages(service, first, "placeholders").map(({ title, request }) => {
    const [start = "", ...fields] = request.head.split("\n");
    const type = fields
      .find((field) => /^content-type:/i.test(field))
      ?.replace(/^[^:]*:\s*|;\s*action=.*/gi, "");
    const [method = "", target = ""] = start.split(" ");
    return html`<tr><th scope="row">${title}</th><td><code>${method}</code></td><td><code>${target.replace(/\?.*/, "").replace(first, "{operation}")}</code></td><td>${type === undefined ? "none, the values are in the query" : html`<code>${type}</code>`}</td></tr>`;
  });
  return html`<section aria-labelledby="bindings"><h2 id="bindings">Bindings</h2>
    <p class="note">Every operation can be called in each of these ways. Its page shows the messages of all of them. Elements are in the namespace <code class="anywhere">${service.namespace}</code>, and JSON has none.</p>
    <div class="scroll" tabindex="0" role="group" aria-label="Bindings"><table class="stack">
    <thead><tr><th scope="col">Binding</th><th scope="col">Method</th><th scope="col">Path</th><th scope="col">Content type</th></tr></thead>
    <tbody>${rows}</tbody></table></div></section>`;
}
