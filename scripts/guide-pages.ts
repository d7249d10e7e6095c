import { readFileSync } from "node:fs";
import { type Content, html, type Markup, verbatim } from "@wfh/server/metadata/markup.ts";
import { renderTable } from "@wfh/server/metadata/pages/elements.ts";
import { renderPage } from "@wfh/server/metadata/pages/layout.ts";
import { marked, type Token, type Tokens } from "marked";

/** A guide, and where its files are. */
export interface GuideOptions {
  /** Name of its file in `docs/`, without `.md`. */
  readonly name: string;
  /** Folder of the repository, which has `docs/`. */
  readonly root: string;
  /** Names of all guides, which links of the page may lead to. */
  readonly all: readonly string[];
}

/**
 * Renders a guide in the style of the help pages (decision 0093).
 *
 * @returns a whole document that the server sends as it is.
 * @throws {Error} for Markdown that the guides do not use, such as HTML.
 */
export function renderGuide(options: GuideOptions): string {
  const guide = new GuideRenderer(options);
  const tokens = guide.tokens();
  const main = guide.blocks(tokens);
  const self = addressOf(options.name);
  const first = tokens.find(({ type }) => type === "paragraph") as Tokens.Paragraph | undefined;
  const page = renderPage({
    title: guide.title,
    description: (first?.text ?? "").replace(/\[(.*?)\]\(.*?\)/gs, "$1").replace(/[`*\n]+/g, " "),
    root: "../",
    trail: { Documentation: "./", ...(self !== "./" && { [guide.title]: self }) },
    guide: self,
    main: html`<div class="text guide">${main}</div>`,
  });
  return page.html;
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

class GuideRenderer {
  /** The heading of the guide. */
  title = "";
  readonly #options: GuideOptions;
  readonly #anchors = new Set<string>();
  /** The heading above what is being rendered: the accessible name of blocks that scroll. */
  #heading = "";

  constructor(options: GuideOptions) {
    this.#options = options;
  }

  /** The whole guide as tokens. */
  tokens(): readonly Token[] {
    return marked.lexer(this.#read(this.#options.name));
  }

  blocks(tokens: readonly Token[]): Content {
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
      case "blockquote":
        return html`<blockquote>${this.blocks(token.tokens ?? [])}</blockquote>`;
      default:
        throw this.#unknown(token);
    }
  }

  #headed({ depth, text, tokens }: Tokens.Heading): Markup {
    const id = headingAnchor(text, this.#anchors);
    this.#heading = text.replaceAll("`", "");
    const content = this.#inline(tokens);
    if (depth === 1) {
      this.title = this.#heading;
      return html`<h1 id="${id}">${content}</h1>`;
    }
    return depth === 2
      ? html`<h2 id="${id}">${content}</h2>`
      : html`<h3 id="${id}">${content}</h3>`;
  }

  #list({ ordered, start, items }: Tokens.List): Markup {
    const content = items.map(({ tokens }) => html`<li>${this.blocks(tokens)}</li>`);
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
    if (!this.#options.all.includes(name)) return content;
    const shown = text === `${name}.md` ? this.#titleOf(name) : content;
    return html`<a href="${addressOf(name)}${anchor}">${shown}</a>`;
  }

  #titleOf(name: string): string {
    const [first = ""] = this.#read(name).split("\n", 1);
    return first.replace("# ", "");
  }

  #read(name: string): string {
    return readFileSync(`${this.#options.root}/docs/${name}.md`, "utf8");
  }

  /** A picture within the page, since its policy allows no others. */
  #image({ href, text }: Tokens.Image): Markup {
    const bytes = readFileSync(`${this.#options.root}/docs/${href}`);
    return html`<img alt="${text}" src="data:image/png;base64,${bytes.toString("base64")}">`;
  }

  #unknown({ type, raw }: Token): Error {
    return new Error(`docs/${this.#options.name}.md: pages have no ${type}: ${raw.slice(0, 80)}`);
  }
}
