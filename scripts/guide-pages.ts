import { readdirSync, readFileSync } from "node:fs";
import { html, inlineAsset, textOf, verbatim } from "@wfh/server/metadata/markup.ts";
import { renderPage } from "@wfh/server/metadata/pages/layout.ts";
import { marked, Renderer } from "marked";

/** Texts of all guides by their names, and the folder of their pictures. */
interface Guides {
  readonly folder: string;
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * Renders the guides of a folder in the style of the help pages (decision 0093).
 *
 * @returns whole documents, which the server sends as they are, by the names of their files.
 * @throws {Error} for HTML in a guide.
 */
export function renderGuides(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(folder).flatMap((file) => /^(.+)\.md$/.exec(file)?.[1] ?? []);
  const texts = new Map(names.map((name) => [name, readFileSync(`${folder}/${name}.md`, "utf8")]));
  return new Map(names.map((name) => [name, renderGuide(name, { folder, texts })]));
}

function renderGuide(name: string, guides: Guides): string {
  const self = addressOf(name);
  const title = titleOf(name, guides);
  const tokens = marked.lexer(guides.texts.get(name) ?? "");
  const first = tokens.find(({ type }) => type === "paragraph")?.raw ?? title;
  const content = marked.parser(tokens, { renderer: new GuideRenderer(guides) });
  const page = renderPage({
    title,
    description: first.replace(/\[(.*?)\]\(.*?\)/gs, "$1").replace(/[`*\s]+/g, " "),
    root: "../",
    trail: { Documentation: "./", ...(self !== "./" && { [title]: self }) },
    guide: self,
    main: html`<div class="text guide">${inlineAsset({ text: content })}</div>`,
  });
  return page.html;
}

/** Address of a guide, relative to the others. */
function addressOf(name: string): string {
  return name === "README" ? "./" : name;
}

function titleOf(name: string, { texts }: Guides): string {
  const [first = ""] = texts.get(name)?.split("\n", 1) ?? [];
  return first.replace("# ", "");
}

/**
 * Anchor of a heading, as the usual viewers of Markdown make it.
 *
 * @param used anchors of the headings before it, to which it is added.
 */
export function headingAnchor(heading: string, used: Set<string>): string {
  const anchor = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
  let unused = anchor;
  for (let count = 1; used.has(unused); count += 1) unused = `${anchor}-${count}`;
  used.add(unused);
  return unused;
}

/** Renders guides as the help pages, where that is not how Markdown is rendered by itself. */
class GuideRenderer extends Renderer {
  readonly #guides: Guides;
  readonly #anchors = new Set<string>();
  /** The heading above what is being rendered: the accessible name of blocks that scroll. */
  #heading = "";

  constructor(guides: Guides) {
    super();
    this.#guides = guides;
  }

  override heading(content: string, depth: number, text: string): string {
    this.#heading = text;
    return `<h${depth} id="${headingAnchor(text, this.#anchors)}">${content}</h${depth}>\n`;
  }

  override code(text: string): string {
    return textOf(
      html`<pre tabindex="0" role="group" aria-label="${this.#heading}"><code>${verbatim(text)}</code></pre>`,
    );
  }

  /** A table. On a narrow screen two columns are stacked, and more scroll below their headings. */
  override table(header: string, body: string): string {
    const isStacked = header.split("<th ").length <= 3;
    return textOf(
      html`<div class="scroll" tabindex="0" role="group" aria-label="${this.#heading}"><table${isStacked && html` class="stack"`}>
        <thead>${inlineAsset({ text: header })}</thead>
        <tbody>${inlineAsset({ text: body })}</tbody></table></div>`,
    );
  }

  override tablecell(content: string, { header }: { readonly header: boolean }): string {
    return header ? `<th scope="col">${content}</th>` : `<td>${content}</td>`;
  }

  /** A link; its text alone where it leads to a file that the server does not show. */
  override link(href: string, _title: unknown, content: string): string {
    const isElsewhere = /^(?:[a-z]+:|#)/.test(href);
    const [, name = "", anchor = ""] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
    if (!isElsewhere && !this.#guides.texts.has(name)) return content;
    const text = content === `${name}.md` ? titleOf(name, this.#guides) : content;
    const address = isElsewhere ? href : addressOf(name) + anchor;
    return textOf(html`<a href="${address}">${inlineAsset({ text })}</a>`);
  }

  /** A picture within the page, since its policy allows no others. */
  override image(href: string, _title: unknown, text: string): string {
    const bytes = readFileSync(`${this.#guides.folder}/${href}`);
    return textOf(
      html`<img alt="${text}" src="data:image/png;base64,${bytes.toString("base64")}">`,
    );
  }

  override html(text: string): string {
    throw new Error(`Guides have no HTML, as below ${this.#heading}: ${text.slice(0, 80)}`);
  }
}
