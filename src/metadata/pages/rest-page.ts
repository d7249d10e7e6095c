import { problems, problemsPath } from "../../contract/problems.ts";
import {
  type DescribedApi,
  operationsOf,
  relativeAddressOf,
  relativeRootOf,
} from "../described-service.ts";
import { html, type Markup } from "../markup.ts";
import { codeSamples } from "../samples/code-samples.ts";
import { renderCodeLine, renderSampleTabs, renderTable } from "./elements.ts";
import { renderUnknownOperation } from "./help-page.ts";
import { type Page, renderPage } from "./layout.ts";
import { renderResource } from "./resource.ts";

/**
 * The page of the REST API: its operations, documents and problems, and what web pages use of it.
 *
 * @param unknownOperation name that was requested and that the API does not have.
 */
export function renderRestPage(api: DescribedApi, unknownOperation?: string): Page {
  const { contract, address } = api;
  const own = relativeAddressOf(contract);
  const operations = operationsOf(api).map(
    ([name, { summary, resource }]) => html`<li>
    <h3><a href="${own}?op=${name}">${name}</a></h3>
    ${resource !== undefined && renderResource(contract.path, resource)}
    <p>${summary}</p></li>`,
  );
  return renderPage({
    title: "REST API",
    description: contract.summary,
    root: relativeRootOf(contract),
    current: { contract },
    trail: [{ text: "REST API", href: own }],
    main: html`<div class="text"><div class="intro">
      <h1>REST API</h1>
      <p class="lead">${contract.summary}</p>
      ${unknownOperation !== undefined && renderUnknownOperation(contract, unknownOperation)}
      ${renderCodeLine({ id: "address", label: "the address of the API", text: address, language: "text" })}
      <p>Look-ups need no key, and pages of any site can make them. 64-bit IDs are strings in both directions. Unknown fields are refused with the name that was probably meant.</p>
      </div>
      <section aria-labelledby="operations"><h2 id="operations">Operations</h2>
      <ul class="rows">${operations}</ul></section></div>
      <div class="samples">${renderFirstCalls(api)}</div>
      <div class="text more">
      <section aria-labelledby="documents"><h2 id="documents">Documents</h2>
      ${renderTable(
        "Documents",
        ["Document", "Description"],
        [
          html`<tr><th scope="row"><a href="${own}/openapi.json">OpenAPI 3.1</a></th><td>For tools that generate clients, tests and references.</td></tr>`,
        ],
      )}</section>
      ${renderProblems(own)}</div>`,
    hasScript: true,
  });
}

/** Ways to the first response: a web page without a line of code, and programs. */
function renderFirstCalls(api: DescribedApi): Markup {
  const samples = codeSamples(api, "findPlaces").toSorted(
    (one, other) => Number(other.language === webPage) - Number(one.language === webPage),
  );
  return html`<section aria-labelledby="browser-sdk"><h2 id="browser-sdk">Browser SDK and clients</h2>
    ${renderSampleTabs(samples)}
    <p class="note">The <a href="../demo">demo</a> shows it at work: one script tag fills in city, state and country, and logs the page; without JavaScript a form works as before. <code>wfh-log-in.js</code> logs visitors in too. The package has the same as <code>web-forms-helper/browser</code>, and the client as <code>web-forms-helper/client</code>.</p></section>`;
}

const webPage = "Web page";

function renderProblems(own: string): Markup {
  const rows = Object.entries(problems).map(
    ([name, { status, title, advice }]) =>
      html`<tr><th scope="row"><a href="${own}/${problemsPath}/${name}"><code>${name}</code></a></th><td>${status}</td><td>${title}. ${advice}</td></tr>`,
  );
  return html`<section aria-labelledby="problems"><h2 id="problems">Problems</h2>
    <p class="note">Errors are problem details (RFC 9457). The last segment of <code>type</code> is the name, and <code>errors</code> lists the fields that are wrong.</p>
    ${renderTable("Problems", ["Name", "Status", "Meaning"], rows)}</section>`;
}
