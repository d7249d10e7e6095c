import { readdirSync, readFileSync } from "node:fs";
import { type Content, html, type Markup, verbatim } from "@wfh/server/metadata/markup.ts";
import { renderTable } from "@wfh/server/metadata/pages/elements.ts";
import { renderPage } from "@wfh/server/metadata/pages/layout.ts";
import { marked, type Token, type Tokens } from "marked";

/**
 * Renders the guides of a folder in the style of the help pages (decision 0093).
 *
 * @returns whole documents, which the server sends as they are, by the names of their files.
 * @throws {Error} for Markdown that the guides do not use, such as HTML.
 */
export function renderGuides(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(folder).flatMap((file) => /^(.+)\.md$/.exec(file)?.[1] ?? []);
  const texts = new Map(names.map((name) => [name, readFileSync(`${folder}/${name}.md`, "utf8")]));
  return new Map(names.map((name) => [name, new GuideRenderer(folder, texts).render(name)]));
}

/** Address of a guide, relative to the others. */
function addressOf(name: string): string {
  return name === "README" ? "./" : name;
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

/** Renders one guide. */
class GuideRenderer {
  readonly #folder: string;
  /** Texts of all guides, which links may lead to. */
  readonly #texts: ReadonlyMap<string, string>;
  readonly #anchors = new Set<string>();
  /** The heading above what is being rendered: the accessible name of blocks that scroll. */
  #heading = "";

  constructor(folder: string, texts: ReadonlyMap<string, string>) {
    this.#folder = folder;
    this.#texts = texts;
  }

  render(name: string): string {
    const self = addressOf(name);
    const title = this.#titleOf(name);
    const tokens = marked.lexer(this.#texts.get(name) ?? "");
    const first = tokens.find(({ type }) => type === "paragraph")?.raw ?? title;
    const page = renderPage({
      title,
      description: first.replace(/\[(.*?)\]\(.*?\)/gs, "$1").replace(/[`*\s]+/g, " "),
      root: "../",
      trail: { Documentation: "./", ...(self !== "./" && { [title]: self }) },
      guide: self,
      main: html`<div class="text guide">${this.#blocks(tokens)}</div>`,
    });
    return page.html;
  }

  #titleOf(name: string): string {
    const [first = ""] = this.#texts.get(name)?.split("\n", 1) ?? [];
    return first.replace("# ", "");
  }

  #blocks(tokens: readonly Token[]): Content {
    return tokens.map((token) => this.#block(token));
  }

  #block(token: Token): Content {
    switch (token.type) {
      case "space":
        return "\n";
      case "heading":
        return this.#headed(token as Tokens.Heading);
      case "paragraph":
        return html`<p>${this.#inline(token.tokens)}</p>`;
      case "text":
        return this.#inline((token as Tokens.Text).tokens);
      case "code":
        return html`<pre tabindex="0" role="group" aria-label="${this.#heading}"><code>${verbatim(token.text)}</code></pre>`;
      case "list":
        return this.#list(token as Tokens.List);
      case "table":
        return this.#table(token as Tokens.Table);
      default:
        throw this.#unknown(token);
    }
  }

  #headed({ depth, text, tokens }: Tokens.Heading): Markup {
    const id = headingAnchor(text, this.#anchors);
    this.#heading = text.replaceAll("`", "");
    const content = this.#inline(tokens);
    if (depth === 1) return html`<h1 id="${id}">${content}</h1>`;
    return depth === 2
      ? html`<h2 id="${id}">${content}</h2>`
      : html`<h3 id="${id}">${content}</h3>`;
  }

  #list({ ordered, start, items }: Tokens.List): Markup {
    const content = items.map(({ tokens }) => html`<li>${this.#blocks(tokens)}</li>`);
    return ordered ? html`<ol start="${start}">${content}</ol>` : html`<ul>${content}</ul>`;
  }

  #table({ header, rows }: Tokens.Table): Markup {
    const cells = (row: readonly Tokens.TableCell[]) =>
      row.map(({ tokens }) => html`<td>${this.#inline(tokens)}</td>`);
    return renderTable(
      this.#heading,
      header.map(({ tokens }) => this.#inline(tokens)),
      rows.map((row) => html`<tr>${cells(row)}</tr>`),
    );
  }

  #inline(tokens: readonly Token[] = []): Content {
    return tokens.map((token) => {
      switch (token.type) {
        case "text":
          return token.raw;
        case "escape":
          return token.raw.slice(1);
        case "codespan":
          return html`<code>${token.raw.replace(/^`+ ?| ?`+$/g, "")}</code>`;
        case "strong":
          return html`<strong>${this.#inline(token.tokens)}</strong>`;
        case "em":
          return html`<em>${this.#inline(token.tokens)}</em>`;
        case "link":
          return this.#link(token as Tokens.Link);
        case "image":
          return this.#image(token as Tokens.Image);
        default:
          throw this.#unknown(token);
      }
    });
  }

  /** A link; its text alone where it leads to a file that the server does not show. */
  #link({ href, text, tokens }: Tokens.Link): Content {
    const content = this.#inline(tokens);
    if (/^(?:[a-z]+:|#)/.test(href)) return html`<a href="${href}">${content}</a>`;
    const [, name = "", anchor = ""] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
    if (!this.#texts.has(name)) return content;
    const shown = text === `${name}.md` ? this.#titleOf(name) : content;
    return html`<a href="${addressOf(name)}${anchor}">${shown}</a>`;
  }

  /** A picture within the page, since its policy allows no others. */
  #image({ href, text }: Tokens.Image): Markup {
    const bytes = readFileSync(`${this.#folder}/${href}`);
    return html`<img alt="${text}" src="data:image/png;base64,${bytes.toString("base64")}">`;
  }

  #unknown({ type, raw }: Token): Error {
    return new Error(
      `Pages of guides have no ${type}, as below ${this.#heading}: ${raw.slice(0, 80)}`,
    );
  }
}
