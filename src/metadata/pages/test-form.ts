import type { Operation, Part, ScalarName } from "../../contract/operation.ts";
import { type DescribedService, isOffered } from "../described-service.ts";
import { sampleCall, sentParts } from "../samples/sample-call.ts";
import type { BindingSample, HttpMessage } from "../samples/sample-messages.ts";
import { renderChoices } from "./code-block.ts";
import { breakable, html, type Markup } from "./html.ts";
import { relativeAddressOf } from "./page-service.ts";

/** What a test form is made of. */
export interface TestFormOptions {
  readonly name: string;
  readonly operation: Operation;
  readonly samples: readonly BindingSample[];
  /** Whether the reader may call; without that the form is not there, and the page says why. */
  readonly hasForm: boolean;
}

/** From this number of fields on they stand beside each other where there is room, and the answer below them. */
const manyFields = 4;

/**
 * The form that calls an operation from its page. Without a script it is a plain HTML form where the service takes HTTP GET,
 * and otherwise cannot be sent, so that nothing that was typed gets into an address.
 */
export function renderTestForm(service: DescribedService, parts: TestFormOptions): Markup {
  const { name, operation, samples, hasForm } = parts;
  if (!hasForm) {
    return html`<p class="note">This operation acts on passwords or cookies. Its form is shown only at the admin listener of the server (<code>WFH_ADMIN_PORT</code>).</p>`;
  }
  const isPlain = isOffered(service, "http-get");
  const choices = samples.map(({ binding, title }) => ({ value: binding, title }));
  const address = `${relativeAddressOf(service.contract)}/${name}`;
  const fields = Object.entries(operation.input);
  const examples = new Map(
    sentParts(sampleCall(service, name, "example")).map(({ name: part, text }) => [part, text]),
  );
  const target = isPlain && html` method="get" action="${address}"`;
  return html`<div class="try${fields.length >= manyFields && " long"}">
    <div class="call">
    <div id="binding" hidden>${renderChoices("binding", "Binding", choices)}</div>
    <form id="call"${target} autocomplete="off" data-call="${factsOf(service, parts)}">
    <fieldset class="fields" id="fields"${!isPlain && html` disabled`}><legend class="unseen">Values</legend>
    ${fields.map(([field, part]) => renderField({ name: field, part, example: examples.get(field) ?? "", isSecret: isPassword(field, operation) }))}
    <button class="send" id="send">Call ${breakable(name)}</button></fieldset>
    </form>
    ${renderHints(isPlain, operation)}
    </div>
    ${renderAnswer()}
    </div>`;
}

/** What the script must know of the operation, as JSON. */
function factsOf(
  { contract, namespace }: DescribedService,
  {
    name: operation,
    operation: { input, result, outcome = { done: "Done" } },
    samples,
  }: TestFormOptions,
): string {
  return JSON.stringify({
    service: relativeAddressOf(contract),
    operation,
    result: result?.name,
    outcome,
    namespace,
    headers: Object.fromEntries(
      samples.map(({ binding, request }) => [binding, headersOf(request)]),
    ),
    parts: Object.entries(input).map(([name, { type, optional = false }]) => ({
      name,
      type,
      optional,
    })),
  });
}

/** What a page must say in the head of a request; the rest of it is the browser's business. */
function headersOf({ head }: HttpMessage): Readonly<Record<string, string>> {
  const [, ...fields] = head.split("\n").map((line) => line.split(/:\s*(.*)/s));
  return Object.fromEntries(
    fields.filter(([name = ""]) => /^(?:content-type|soapaction)$/i.test(name)),
  );
}

function renderHints(isPlain: boolean, { input, effect }: Operation): Markup {
  const hasOptional = Object.values(input).some(({ optional }) => optional === true);
  const without = isPlain
    ? "Without JavaScript the form calls over HTTP GET and goes to the answer."
    : "The form needs JavaScript: this operation takes envelopes and JSON, which a plain form cannot send.";
  return html`<p class="note">The call is a real one, on this server.${effect && ` ${effect}`}${hasOptional && " A field that is left empty is not sent."}</p>
    <noscript><p class="note">${without}</p></noscript>`;
}

/** One field of the form. */
interface FieldParts {
  readonly name: string;
  readonly part: Part;
  /**
   * The value of the example. An optional field only shows it as a placeholder: made-up ids do not belong into a real log,
   * and a made-up user name would count as a log-in attempt.
   */
  readonly example: string;
  /** Whether what is typed must not be seen. */
  readonly isSecret: boolean;
}

const numeric: ReadonlySet<Part["type"]> = new Set<ScalarName>(["int", "long"]);

function renderField({ name, part, example, isSecret }: FieldParts): Markup {
  const { type, optional } = part;
  const typeName = typeof type === "string" ? type : type.name;
  const label = html`<label for="field-${name}">${name} <small>${typeName}${optional && ", optional"}</small></label>`;
  if (type === "boolean") {
    const options = ["true", "false"].map((word) => html`<option>${word}</option>`);
    return html`<div class="field">${label}<select id="field-${name}" name="${name}">${optional && html`<option value="">(not sent)</option>`}${options}</select></div>`;
  }
  return html`<div class="field">${label}<input id="field-${name}" name="${name}" type="${isSecret ? "password" : "text"}"${optional ? !isSecret && html` placeholder="${`e.g. ${example}`}"` : html` value="${example}"`}${numeric.has(type) && html` inputmode="numeric"`} spellcheck="false" autocapitalize="off" autocomplete="off"></div>`;
}

/** Whether what is typed into a field must not be seen. */
function isPassword(name: string, { credentials }: Operation): boolean {
  return credentials === true && /pass/i.test(name);
}

/** Where the script shows the answer; not there without it. */
function renderAnswer(): Markup {
  return html`<div class="answer" id="shown" hidden>
    <h3>Answer</h3>
    <div class="said-so" role="status"><p class="outcome" id="outcome"></p><p class="said" id="said"></p></div>
    <p class="note" id="before">Call the operation, and the outcome is shown here, with the status, the headers and the body of the response.</p>
    <div class="answer" id="answer" hidden>
    <div class="code">
    <div class="code-head"><label class="check"><input type="checkbox" id="as-sent"> As sent, unformatted</label><button type="button" data-copy="answer-body" aria-label="Copy the answer" hidden>Copy</button></div>
    <pre tabindex="0" role="group" aria-label="Body of the answer"><code id="answer-body"></code></pre>
    </div>
    <details><summary>Status and headers of the answer</summary><pre tabindex="0" role="group" aria-label="Status and headers of the answer"><code id="answer-head"></code></pre></details>
    </div>
    <details id="request" hidden><summary>The request as it was sent</summary><pre tabindex="0" role="group" aria-label="The request as it was sent"><code id="request-sent"></code></pre></details>
    </div>`;
}
