import { codeLengthMax, wrapPoint } from "../samples/indent.ts";

/** Expressions by language; the group that matches names the colour in theme.css. */
const grammars: Readonly<Record<string, RegExp>> = {
  xml: /(?<dim><!--[\s\S]*?-->|<\?[\s\S]*?\?>|<\/?|\/?>)|(?<string>(?<==)(?:"[^"<]*"|'[^'<]*'))|(?<name>(?<=<\/?)[\w.:-]+|(?<=\s)[\w.:-]+(?==["']))/g,
  json: /(?<name>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\]|\\.)*(?:"|$))|(?<number>-?\d[\d.eE+-]*)|(?<accent>\b(?:true|false|null)\b)|(?<dim>[{}[\],:]+)/g,
  form: /(?<name>[^=&\s]+)(?==)|(?<dim>[=&]+)|(?<string>[^=&\s]+)/g,
  program:
    /(?<dim>(?:^|(?<=\s))(?:#|\/\/)[^\n]*)|(?<string>"(?:[^"\\\n]|\\.)*"|'[^']*')|(?<accent>\b(?:as|async|await|class|const|curl|def|echo|else|for|foreach|from|function|if|import|in|let|new|php|print|private|public|return|static|string|try|using|var|void|with)\b)|(?<number>\b\d+\b)/g,
};

/**
 * Shows a text in colours. It makes text nodes, never markup, so that nothing in a response runs.
 *
 * @param language a key of the grammars, or `http-` and the language of an HTTP message's body.
 */
export function showCode(target: Element, language: string, text: string): void {
  target.replaceChildren();
  // One by one: a call takes fewer arguments than a long text has nodes.
  for (const node of nodesOf(language, text)) {
    if (typeof node === "string") appendText(target, node);
    else target.append(node);
  }
}

/** Adds a text that may be wrapped between names. */
function appendText(target: Element, text: string): void {
  for (const [index, piece] of text.split(wrapPoint).entries()) {
    if (index > 0) target.append(document.createElement("wbr"));
    target.append(piece);
  }
}

/** Replaces the text of a code block, if the page has it. */
export function showText(id: string, text: string): void {
  const code = document.getElementById(id);
  if (code !== null) showCode(code, code.dataset["language"] ?? "", text);
}

/** Colours every code block of the page. */
export function highlightPage(): void {
  for (const code of document.querySelectorAll<HTMLElement>("code[data-language]")) {
    showCode(code, code.dataset["language"] ?? "", code.textContent ?? "");
  }
}

function nodesOf(language: string, text: string): readonly (Node | string)[] {
  if (text.length > codeLengthMax) return [text];
  if (language.startsWith("http-")) {
    const end = text.indexOf("\n\n");
    if (end < 0) return headNodes(text);
    return [...headNodes(text.slice(0, end)), ...nodesOf(language.slice(5), text.slice(end))];
  }
  const grammar = grammars[language];
  return grammar === undefined ? [text] : coloured(grammar, text);
}

/** All matches of a grammar in their colours, and the text between them as it is. */
function coloured(grammar: RegExp, text: string): readonly (Node | string)[] {
  const nodes: (Node | string)[] = [];
  let last = 0;
  for (const match of text.matchAll(grammar)) {
    const kind = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined)?.[0];
    nodes.push(text.slice(last, match.index), span(kind ?? "", match[0]));
    last = match.index + match[0].length;
  }
  return [...nodes, text.slice(last)];
}

function headNodes(head: string): readonly (Node | string)[] {
  const [start = ""] = head.split("\n", 1);
  const line = document.createElement("strong");
  appendText(line, start);
  return [line, ...coloured(/(?<name>(?<=\n)[^:\n]+)(?=:)/g, head.slice(start.length))];
}

function span(kind: string, text: string): HTMLSpanElement {
  const node = document.createElement("span");
  node.style.color = `var(--${kind})`;
  appendText(node, text);
  return node;
}
