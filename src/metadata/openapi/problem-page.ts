import { type ProblemName, problems, problemsPath } from "../../contract/problems.ts";
import { relativeRootOf } from "../described-service.ts";
import { html } from "../markup.ts";
import { type Page, renderPage } from "../pages/layout.ts";

/** The page at the `type` of a problem. */
export function renderProblemPage(apiPath: string, name: ProblemName): Page {
  const { status, title, advice } = problems[name];
  const others = Object.entries(problems).map(
    ([other, { title: text }]) => html`<li><a href="${other}">${other}</a>: ${text}</li>`,
  );
  return renderPage({
    title,
    description: advice,
    root: relativeRootOf({ path: `${apiPath}/${problemsPath}/${name}` }),
    trail: [
      { text: "REST API", href: "../../v1" },
      { text: name, href: name },
    ],
    main: html`<div class="intro">
      <h1>${title}</h1>
      <p class="lead">${advice}</p>
      <ul class="tags" aria-label="Problem"><li class="tag">Status ${status}</li><li class="tag">${name}</li></ul>
      </div>
      <section aria-labelledby="all"><h2 id="all">All problems</h2>
      <ul class="links">${others}</ul></section>`,
    hasScript: false,
  });
}
