import type { Operation, RestApi, ServiceContract } from "../../contract/operation.ts";
import {
  type Described,
  type DescribedService,
  operationsOf,
  relativeAddressOf,
  relativeRootOf,
  restApiOf,
} from "../described-service.ts";
import { breakable, html, type Markup } from "../markup.ts";
import { sampleMessages } from "../samples/sample-messages.ts";
import { renderClients } from "./client-recipes.ts";
import { renderCode, renderTable } from "./elements.ts";
import { type Page, renderPage, titleOf } from "./layout.ts";

/** Most characters of an unknown operation name that the page repeats. */
const repeatedMax = 80;

/**
 * The page of a service: its operations, documents and bindings, and how to generate a client.
 *
 * @param unknownOperation name that was requested and that the service does not have.
 */
export function renderHelpPage(service: DescribedService, unknownOperation?: string): Page {
  return renderOverview(service, unknownOperation, {
    describe: renderOperation,
    samples: renderClients(service),
    more: renderBindings(service),
  });
}

/** Differences between the pages of a service and of the REST API. */
interface OverviewOptions {
  readonly note?: Markup;
  /** Describes an operation below its name. */
  readonly describe: (operation: Operation) => Markup;
  readonly samples: Markup;
  readonly more: Markup;
}

/** The page of a service or of the REST API. */
export function renderOverview(
  service: Described,
  unknownOperation: string | undefined,
  { note, describe, samples, more }: OverviewOptions,
): Page {
  const { contract, address } = service;
  const title = titleOf(contract);
  const operations = operationsOf(service).map(
    ([name, operation]) => html`<li>
    <h3><a href="?op=${name}">${name}</a></h3>
    ${describe(operation)}
    </li>`,
  );
  return renderPage({
    title,
    description: contract.summary,
    root: relativeRootOf(contract),
    trail: { [title]: relativeAddressOf(contract) },
    current: { contract },
    api: restApiOf(service),
    main: html`<div class="text"><div class="intro">
      <h1>${breakable(title)}</h1>
      <p class="lead">${contract.summary}</p>
      ${unknownOperation !== undefined && renderUnknownOperation(contract, unknownOperation)}
      ${renderCode({ id: "address", label: "Address", text: address, language: "text" })}
      ${note}
      </div>
      <section aria-labelledby="operations"><h2 id="operations">Operations</h2>
      <ul class="card">${operations}</ul></section></div>
      <div class="samples">${samples}</div>
      <div class="text">${renderDocuments(contract)}
      ${more}</div>`,
    hasScript: true,
  });
}

/** A notice for a name that was requested and does not exist. */
function renderUnknownOperation(contract: Pick<ServiceContract, "path">, unknown: string): Markup {
  const name = unknown.length > repeatedMax ? `${unknown.slice(0, repeatedMax)}…` : unknown;
  return html`<p class="notice" role="alert">Unknown operation <strong class="anywhere">${name}</strong>. Available operations are listed below. <a href="${relativeRootOf(contract)}">Go to the start page</a></p>`;
}

function renderOperation({ summary, input, result }: Operation): Markup {
  const parts = Object.entries(input).map(([part, { type, optional }]) => {
    const typeName = typeof type === "string" ? type : type.name;
    return html`<li><code>${breakable(part)}</code> <small>${typeName}${optional && ", optional"}</small></li>`;
  });
  return html`<p>${summary}</p>
    <dl class="facts note"><dt>Parameters</dt><dd><ul>${parts}</ul></dd>
    <dt>Response</dt><dd>${result === undefined ? "empty" : html`<code>${breakable(result.name)}</code>`}</dd></dl>`;
}

/** Purpose of each document, by the text of its links. */
const documents = {
  WSDL: "Service description for tools that generate clients.",
  "Single WSDL": "The same document under the name that newer tools use.",
  Schema: "The messages only, as XML Schema.",
  Discovery: "Addresses of the WSDL and of the SOAP ports (DISCO).",
  "Script proxy": "JavaScript functions that call the service from a page.",
  "Script proxy, readable": "The same with comments, for debugging.",
  "OpenAPI document": "OpenAPI 3.1, for tools that generate clients, tests and references.",
};
type DocumentLinks = Readonly<Partial<Record<keyof typeof documents, string>>>;

/** Documents of a service or the REST API (decision 0028), with links relative to its address. */
export function listDocuments(contract: ServiceContract | RestApi): DocumentLinks {
  const self = relativeAddressOf(contract);
  if (!("stack" in contract)) return { "OpenAPI document": `${self}/openapi.json` };
  const isWcf = contract.stack === "wcf";
  return {
    WSDL: "?wsdl",
    ...(isWcf && { "Single WSDL": "?singleWsdl", Schema: "?xsd=xsd0" }),
    Discovery: "?disco",
    "Script proxy": `${self}/js`,
    "Script proxy, readable": `${self}/jsdebug`,
  };
}

function renderDocuments(contract: ServiceContract | RestApi): Markup {
  const rows = Object.entries(listDocuments(contract)).map(
    ([text, href]) =>
      html`<tr><th scope="row"><a href="${href}">${text}</a></th><td>${documents[text as keyof DocumentLinks]}</td></tr>`,
  );
  return html`<section aria-labelledby="documents"><h2 id="documents">Documents</h2>
    ${renderTable("Documents", ["Document", "Description"], rows)}</section>`;
}

/** Renders how each binding calls the first operation. */
function renderBindings(service: DescribedService): Markup {
  const [[first] = [""]] = operationsOf(service);
  const rows = sampleMessages(service, first, "placeholders").map(({ title, description }) => {
    const { method, path, headers } = description;
    const type = headers["Content-Type"]?.replace(/; action=.*/, "");
    const target = html`${new URL(service.address).pathname}${path && html`<wbr>/{operation}`}`;
    return html`<tr><th scope="row">${title}</th><td><code>${method}</code></td><td><code>${target}</code></td><td>${type === undefined ? "none; parameters are in the query" : html`<code>${type}</code>`}</td></tr>`;
  });
  return html`<section aria-labelledby="bindings"><h2 id="bindings">Bindings</h2>
    <p class="note">Every operation is available over each binding; its page shows the messages. XML elements are in the namespace <code class="anywhere">${service.namespace}</code>. JSON has no namespace.</p>
    ${renderTable("Bindings", ["Binding", "Method", "Path", "Content type"], rows)}</section>`;
}
