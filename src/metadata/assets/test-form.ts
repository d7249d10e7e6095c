/**
 * The test form: reads the fields, makes a request of them for the binding that was chosen, and shows the answer. Numbers stay
 * the text that was typed, so that 64-bit ids keep all their digits. Expects `show` and `layOut`.
 */
export const operationScript = String.raw`
const form = document.getElementById("call");
const facts = form ? JSON.parse(form.dataset.call) : null;

function escapeXml(text) {
  return text.replace(/[&<>]/g, (found) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[found]);
}

// A value as JSON has it; what is no number is sent as a text, and the service says what is wrong with it.
function jsonOf({ type, value }) {
  const isBare = type === "boolean" ? /^(?:true|false)$/ : /^-?(?:0|[1-9]\d*)$/;
  return type !== "string" && type !== "dateTime" && isBare.test(value) ? value : JSON.stringify(value);
}

function envelopeOf(namespace, parts) {
  const lines = parts.map(({ name, value }) => "      <" + name + ">" + escapeXml(value) + "</" + name + ">");
  const uri = escapeXml(facts.namespace).replaceAll('"', "&quot;");
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<soap:Envelope xmlns:soap="' + namespace + '">',
    "  <soap:Body>",
    "    <" + facts.operation + ' xmlns="' + uri + '">',
    ...lines,
    "    </" + facts.operation + ">",
    "  </soap:Body>",
    "</soap:Envelope>",
  ].join("\n");
}

function fieldsOf(parts) {
  return new URLSearchParams(parts.map(({ name, value }) => [name, value])).toString();
}

const post = (url, body) => ({ method: "POST", url, body });
const atOperation = () => facts.service + "/" + facts.operation;

// The request of each binding; its headers are those of the sample.
const requests = {
  soap11: (parts) => post(facts.service, envelopeOf("http://schemas.xmlsoap.org/soap/envelope/", parts)),
  soap12: (parts) => post(facts.service, envelopeOf("http://www.w3.org/2003/05/soap-envelope", parts)),
  "http-get": (parts) => ({ method: "GET", url: atOperation() + (parts.length > 0 ? "?" + fieldsOf(parts) : "") }),
  "http-post": (parts) => post(atOperation(), fieldsOf(parts)),
  json: (parts) =>
    post(
      atOperation(),
      "{" + parts.map((part) => JSON.stringify(part.name) + ": " + jsonOf(part)).join(", ") + "}",
    ),
};

// What was filled in; a field that may be left out is sent only where something stands in it.
function readParts(isShown) {
  return facts.parts.flatMap(({ name, type, optional }) => {
    const field = form.elements.namedItem(name);
    if (optional && field.value === "") return [];
    const value = isShown && field.type === "password" ? "•".repeat(8) : field.value;
    return [{ name, type, value }];
  });
}

function languageOf(contentType) {
  if (/json/.test(contentType)) return "json";
  if (/urlencoded/.test(contentType)) return "form";
  if (/html/.test(contentType)) return "html";
  return /xml/.test(contentType) ? "xml" : "text";
}

// A request as people read it: with the path that it goes to and without what was typed as a password.
function describe({ method, url, body }, headers) {
  const target = new URL(url, document.baseURI);
  const lines = [method + " " + target.pathname + target.search + " HTTP/1.1", "Host: " + target.host];
  for (const [name, value] of Object.entries(headers)) lines.push(name + ": " + value);
  return lines.join("\n") + (body === undefined ? "" : "\n\n" + body);
}
`;

/** Shows what became of a call. Expects what {@link operationScript} and the scripts of every page define. */
export const answerScript = String.raw`
const byId = (id) => document.getElementById(id);

// A call is given up after this time, in milliseconds: as long as the server by default waits for a request.
const patienceMs = 30000;

// What a fault or an error says, without what is around it.
function reasonIn(language, text) {
  if (language === "json") {
    try {
      const { Message } = JSON.parse(text);
      return typeof Message === "string" ? Message : "";
    } catch {
      return "";
    }
  }
  if (language === "html") return "The answer is a page, which no service here sends: a proxy on the way may have answered.";
  if (language !== "xml") return text.trim();
  const answer = new DOMParser().parseFromString(text, "text/xml");
  const reasons = ["faultstring", "Text"].flatMap((name) => [...answer.getElementsByTagNameNS("*", name)]);
  return reasons.length > 0 ? reasons[0].textContent : "";
}

// Values of a result by their names, as text with all digits; null when the response is not one of this service.
function readResult(language, text) {
  const values = new Map();
  const put = (name, value) => values.has(name) || values.set(name, String(value));
  if (language === "json") {
    try {
      const response = JSON.parse(text, (name, value, context) => {
        if (typeof value === "number") value = context?.source ?? value;
        if (value !== null && typeof value !== "object") put(name, value);
        return value;
      });
      return Object.hasOwn(response, "d") ? values : null;
    } catch {
      return null;
    }
  }
  if (language !== "xml") return text === "" ? values : null;
  const root = new DOMParser().parseFromString(text, "text/xml").documentElement;
  if (root.localName !== "Envelope" && root.localName !== facts.result) return null;
  const isNil = (element) => element.hasAttributeNS("http://www.w3.org/2001/XMLSchema-instance", "nil");
  for (const element of root.getElementsByTagName("*")) {
    if (element.childElementCount === 0 && !isNil(element)) put(element.localName, element.textContent);
  }
  return values;
}

// What became of a call that returned no fault: in words, styled as done or notdone, and why.
function judge(language, text) {
  const { done, decidedBy, notDone, reason } = facts.outcome;
  const values = readResult(language, text);
  if (values === null) return { words: "Not a response of this service", kind: "notdone", reason: "" };
  if (decidedBy !== undefined && (values.get(decidedBy) ?? "false") === "false") {
    return { words: notDone, kind: "notdone", reason: values.get(reason) ?? "" };
  }
  const words = done.replace(/\{(\w+)\}/g, (_, name) => values.get(name) ?? "").replace(/[,\s]+$/, "");
  return { words, kind: "done", reason: "" };
}

function tell(words, rest, kind) {
  const outcome = byId("outcome");
  outcome.replaceChildren();
  outcome.className = "outcome " + kind;
  const strong = document.createElement("strong");
  strong.textContent = words;
  outcome.append(strong, " ", rest);
}

function sayWhy(reason) {
  byId("said").textContent = reason;
}

const sizeOf = (text) => new TextEncoder().encode(text).length.toLocaleString("en") + " bytes";

function showBody(language, text) {
  const asSent = byId("as-sent").checked;
  show(byId("answer-body"), language, text === "" ? "(no body)" : asSent ? text : layOut(language, text));
}

let last = null;
byId("as-sent")?.addEventListener("change", () => last && showBody(last.language, last.text));

function showAnswer(response, text, elapsedMs) {
  const contentType = response.headers.get("content-type") || "";
  const language = languageOf(contentType);
  const status = (response.status + " " + response.statusText).trim();
  const head = ["HTTP/1.1 " + status];
  response.headers.forEach((value, name) => head.push(name + ": " + value));
  show(byId("answer-head"), "http-text", head.join("\n"));
  showBody(language, text);
  last = { language, text };
  byId("answer").hidden = false;
  const { words, kind, reason } =
    response.ok && language !== "html"
      ? judge(language, text)
      : { words: "Failed", kind: "failed", reason: reasonIn(language, text) || "The answer gives no reason." };
  sayWhy(reason);
  tell(words, status + " in " + elapsedMs.toFixed(elapsedMs < 10 ? 1 : 0) + " ms, " + sizeOf(text), kind);
}

function showNoAnswer(isLate, elapsedMs) {
  byId("answer").hidden = true;
  tell("No answer", "after " + elapsedMs.toFixed(0) + " ms", "failed");
  sayWhy(isLate ? "The server did not answer in " + patienceMs / 1000 + " seconds." : "The server could not be reached: is it running, and is the network up?");
}

async function call(binding) {
  const make = requests[binding];
  const { method, url, body } = make(readParts(false));
  const headers = facts.headers[binding];
  const shown = describe(make(readParts(true)), headers);
  show(byId("request-sent"), "http-" + languageOf(headers["Content-Type"] || ""), shown);
  byId("request").hidden = false;
  byId("before").hidden = true;
  const start = performance.now();
  let response;
  let text;
  try {
    response = await fetch(url, { method, headers, body, cache: "no-store", credentials: "same-origin", signal: AbortSignal.timeout(patienceMs) });
    text = await response.text();
  } catch (reason) {
    showNoAnswer(reason.name === "TimeoutError", performance.now() - start);
    return;
  }
  showAnswer(response, text, performance.now() - start);
}

if (form) {
  const send = byId("send");
  byId("fields").disabled = false;
  byId("binding").hidden = false;
  byId("shown").hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (send.getAttribute("aria-disabled") === "true") return;
    send.setAttribute("aria-disabled", "true");
    tell("Calling", "…", "");
    sayWhy("");
    try {
      await call(document.querySelector("input[name=binding]:checked").value);
    } finally {
      send.removeAttribute("aria-disabled");
    }
    byId("outcome").scrollIntoView({ block: "nearest" });
  });
}
`;
