import type { RestApi } from "../../contract/operation.ts";
import { type ProblemName, problems, problemsPath } from "../../contract/problems.ts";
import { type DescribedApi, relativeAddressOf, relativeRootOf } from "../described-service.ts";
import { html, type Markup } from "../markup.ts";
import { codeSamples } from "../samples/code-samples.ts";
import { resourceMessages } from "../samples/sample-messages.ts";
import { renderSampleTabs, renderTable } from "./elements.ts";
import { renderOverview } from "./help-page.ts";
import { type Page, renderPage } from "./layout.ts";
import { renderResource } from "./parts.ts";

/**
 * The page of the REST API: its operations, documents and problems, and what web pages use of it.
 *
 * @param unknownOperation name that was requested and that the API does not have.
 */
export function renderRestPage(api: DescribedApi, unknownOperation?: string): Page {
  const { contract } = api;
  return renderOverview(api, unknownOperation, {
    note: html`<p>Look-ups need no key, and pages of any site can make them. 64-bit IDs are strings in both directions. Unknown fields are refused with the name that was probably meant.</p>`,
    describe: ({ summary, resource }) =>
      html`${resource !== undefined && renderResource(contract.path, resource)}<p>${summary}</p>`,
    samples: renderFirstCalls(api),
    more: renderProblems(relativeAddressOf(contract)),
  });
}

/** Ways to the first response: a web page without a line of code, and programs. */
function renderFirstCalls(api: DescribedApi): Markup {
  const samples = codeSamples(api, "findPlaces", resourceMessages(api, "findPlaces")).toSorted(
    (one, other) => Number(other.language === webPage) - Number(one.language === webPage),
  );
  return html`<section aria-labelledby="browser-sdk"><h2 id="browser-sdk">Browser SDK and clients</h2>
    ${renderSampleTabs("sample", samples)}
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

/** The page at the `type` of a problem. */
export function renderProblemPage(api: RestApi, name: ProblemName): Page {
  const { status, title, advice } = problems[name];
  const others = Object.entries(problems).map(
    ([other, { title: text }]) => html`<li><a href="${other}">${other}</a>: ${text}</li>`,
  );
  return renderPage({
    title,
    description: advice,
    api,
    root: relativeRootOf({ path: `${api.path}/${problemsPath}/${name}` }),
    trail: { "REST API": "../../v1", [name]: name },
    main: html`<div class="intro">
      <h1>${title}</h1>
      <p class="lead">${advice}</p>
      <ul class="links" aria-label="Problem"><li class="tag">Status ${status}</li><li class="tag">${name}</li></ul>
      </div>
      <section aria-labelledby="all"><h2 id="all">All problems</h2>
      <ul class="links">${others}</ul></section>`,
  });
}
