import { indentCode, languageOf } from "../samples/indent.ts";
import {
  fillRequest,
  formatRequest,
  type TestFormData,
  textOfMessage,
} from "../samples/request.ts";
import { chosenBinding, followValues, readFields } from "./form-values.ts";
import { showCode } from "./highlight.ts";
import { callOutcomeOf } from "./response.ts";

/** Longest wait for a response, in milliseconds: the server's default limit for a request. */
const timeoutMs = 30_000;

/** Makes an operation's page follow what is typed, and its form call the operation. */
export function enableTestForm(): void {
  const described = document.querySelector<HTMLElement>("[data-call]");
  if (described === null) return;
  const data: TestFormData = JSON.parse(described.dataset["call"] ?? "");
  const form = document.querySelector<HTMLFormElement>("form#call");
  followValues(form, data);
  if (form === null) return;
  const send = byId("send");
  byId("fields").removeAttribute("disabled");
  send.removeAttribute("disabled");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (send.getAttribute("aria-disabled") === "true") return;
    send.setAttribute("aria-disabled", "true");
    showOutcome("Calling", "…", "", "");
    void call(form, data).finally(() => {
      send.removeAttribute("aria-disabled");
      byId("outcome").scrollIntoView({ block: "nearest" });
    });
  });
}

async function call(form: HTMLFormElement, data: TestFormData): Promise<void> {
  const request = data.requests[chosenBinding()];
  if (request === undefined) return;
  const { url, ...init } = fillRequest(request, data.service, readFields(form, data, false));
  const shown = fillRequest(request, data.service, readFields(form, data, true));
  const message = textOfMessage(formatRequest(shown, document.baseURI));
  const language = languageOf(init.headers["Content-Type"] ?? "");
  showCode(byId("request-sent"), `http-${language}`, message);
  byId("result-title").textContent = "Response received";
  byId("response").hidden = false;
  const startMs = performance.now();
  const signal = AbortSignal.timeout(timeoutMs);
  const sent = fetch(url, { ...init, cache: "no-store", credentials: "same-origin", signal });
  const received = sent.then(async (response) => ({ response, text: await response.text() }));
  await received.then(
    ({ response, text }) => showResponse(data, response, text, performance.now() - startMs),
    (reason) => showNoResponse(reason, performance.now() - startMs),
  );
}

function showResponse(
  data: TestFormData,
  response: Response,
  text: string,
  elapsedMs: number,
): void {
  const contentType = response.headers.get("content-type") ?? "";
  const status = `${response.status} ${response.statusText}`.trim();
  const fields = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  showCode(byId("response-head"), "http-text", [`HTTP/1.1 ${status}`, ...fields].join("\n"));
  const asSent = byId("as-sent") as HTMLInputElement;
  const showBody = () => {
    const language = languageOf(contentType);
    const body = asSent.checked ? text : indentCode(language, text);
    showCode(byId("response-body"), language, body || "(no body)");
  };
  asSent.onchange = showBody;
  showBody();
  byId("received").hidden = false;
  const { words, kind, reason } = callOutcomeOf(data, response.ok, contentType, text);
  const size = new TextEncoder().encode(text).length.toLocaleString("en");
  const time = elapsedMs.toFixed(elapsedMs < 10 ? 1 : 0);
  showOutcome(words, `${status} in ${time} ms, ${size} bytes`, kind, reason);
}

function showNoResponse(reason: unknown, elapsedMs: number): void {
  byId("received").hidden = true;
  showCode(byId("response-head"), "http-text", "");
  const isLate = reason instanceof DOMException && reason.name === "TimeoutError";
  const words = isLate
    ? `The server did not respond within ${timeoutMs / 1000} seconds.`
    : "The server could not be reached. Check that it is running and that the network is up.";
  showOutcome("No response", `after ${elapsedMs.toFixed(0)} ms`, "failed", words);
}

function showOutcome(words: string, rest: string, kind: string, reason: string): void {
  const strong = document.createElement("strong");
  strong.textContent = words;
  const outcome = byId("outcome");
  outcome.className = `outcome ${kind}`;
  outcome.replaceChildren(strong, " ", rest);
  byId("reason").textContent = reason;
}

function byId(id: string): HTMLElement {
  return document.getElementById(id) as HTMLElement;
}
