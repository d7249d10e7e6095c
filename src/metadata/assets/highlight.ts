/**
 * What pages bring along to colour code: it makes nodes of text and never markup, so that nothing in an answer is run.
 * Defines `show(target, language, text)` and `layOut(language, text)`.
 */
export const highlightScript = String.raw`
// Longer texts are shown without colours, so that no answer keeps the page busy.
const colouredMax = 200000;

// For each language one expression; the name of the group that matched is the class of the text.
const grammars = {
  xml: /(?<quiet><!--[^]*?-->|<\?[^]*?\?>|<!\[CDATA\[[^]*?\]\]>|[<>\/=]+)|(?<string>"[^"<]*"|'[^'<]*')|(?<name>[\w.:-]+)/g,
  json: /(?<name>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\]|\\.)*(?:"|$))|(?<number>-?\d[\d.eE+-]*)|(?<word>\b(?:true|false|null)\b)|(?<quiet>[{}\[\],:]+)/g,
  form: /(?<name>[^=&\s]+)(?==)|(?<quiet>[=&]+)|(?<string>[^=&\s]+)/g,
  program: /(?<quiet>(?:^|(?<=\s))(?:#|\/\/)[^\n]*)|(?<string>"(?:[^"\\\n]|\\.)*"|'[^']*')|(?<word>\b(?:as|async|await|class|const|curl|def|echo|else|for|foreach|from|function|if|import|in|let|new|php|print|private|public|return|static|string|try|using|var|void|with)\b)|(?<number>\b\d+\b)/g,
};

function piece(kind, text) {
  const node = document.createElement("span");
  node.className = "t-" + kind;
  node.textContent = text;
  return node;
}

// Appends all matches of a grammar with their class, and what is between them as it is.
function colour(target, grammar, text) {
  let last = 0;
  for (const match of text.matchAll(grammar)) {
    const [kind] = Object.entries(match.groups).find(([, found]) => found !== undefined);
    target.append(text.slice(last, match.index), piece(kind, match[0]));
    last = match.index + match[0].length;
  }
  target.append(text.slice(last));
}

// In XML only what is within tags has names and strings.
function colourXml(target, text) {
  for (const [found] of text.matchAll(/<!--[^]*?-->|<\?[^]*?\?>|<[^>]*>|[^<]+|</g)) {
    if (found.startsWith("<!") || found.startsWith("<?")) target.append(piece("quiet", found));
    else if (found.startsWith("<")) colour(target, grammars.xml, found);
    else target.append(found);
  }
}

function colourHead(target, text) {
  const lines = text.split("\n");
  lines.forEach((line, index) => {
    if (index > 0) target.append("\n");
    const colon = line.indexOf(":");
    if (index === 0) target.append(piece("start", line));
    else if (colon < 0) target.append(line);
    else target.append(piece("name", line.slice(0, colon)), line.slice(colon));
  });
}

// Shows a text. The language of an HTTP message is "http-" with that of its body.
function show(target, language, text) {
  target.replaceChildren();
  if (text.length > colouredMax) target.append(text);
  else if (language.startsWith("http-")) {
    const end = text.indexOf("\n\n");
    const head = end < 0 ? text : text.slice(0, end);
    colourHead(target, head);
    const body = document.createElement("span");
    if (end >= 0) show(body, language.slice(5), text.slice(end));
    target.append(...body.childNodes);
  } else if (language === "xml") colourXml(target, text);
  else if (grammars[language]) colour(target, grammars[language], text);
  else target.append(text);
}

// The start of a line. Beyond some depth all begin at the same place, so that what is nested without end stays short.
const newLine = (depth) => "\n" + "  ".repeat(Math.min(depth, 40));

// XML with each element on its line; elements that hold text alone stay on one.
function layOutXml(text) {
  const tokens = (text.match(/<[^>]*>|[^<]+/g) || []).filter((token) => token.trim() !== "");
  let depth = 0;
  let out = "";
  tokens.forEach((token, index) => {
    const isTag = token.startsWith("<");
    const isEnd = token.startsWith("</");
    if (isEnd) depth = Math.max(depth - 1, 0);
    const isAfterElement = /^<\/|\/>$/.test(tokens[index - 1] || "");
    const isOnLine = index === 0 || !isTag || (isEnd && !isAfterElement);
    out += (isOnLine ? "" : newLine(depth)) + token;
    if (isTag && !isEnd && !/^<[?!]|\/>$/.test(token)) depth += 1;
  });
  return out;
}

// JSON with each member on its line, taken apart as text: numbers keep all their digits.
function layOutJson(text) {
  let depth = 0;
  let out = "";
  const line = () => newLine(depth);
  const tokens = text.match(/"(?:[^"\\]|\\.)*(?:"|$)|[{}\[\],:]|[^\s{}\[\],:"]+/g) || [];
  tokens.forEach((token, index) => {
    const next = tokens[index + 1];
    if (token === "{" || token === "[") {
      if (next === "}" || next === "]") out += token;
      else {
        depth += 1;
        out += token + line();
      }
    } else if (token === "}" || token === "]") {
      if (tokens[index - 1] !== "{" && tokens[index - 1] !== "[") {
        depth = Math.max(depth - 1, 0);
        out += line();
      }
      out += token;
    } else out += token === "," ? "," + line() : token === ":" ? ": " : token;
  });
  return out;
}

function layOut(language, text) {
  if (text.length > colouredMax) return text;
  if (language === "xml") return layOutXml(text);
  return language === "json" ? layOutJson(text) : text;
}

for (const code of document.querySelectorAll("code[data-language]")) {
  show(code, code.dataset.language, code.textContent);
}
`;
