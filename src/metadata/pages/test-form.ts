import type { Operation, Part, ScalarName } from "../../contract/operation.ts";
import {
  type DescribedService,
  isOffered,
  relativeAddressOf,
  typeNameOf,
} from "../described-service.ts";
import { breakable, html, type Markup } from "../markup.ts";
import type { TestFormData } from "../samples/request.ts";
import { sampleCall } from "../samples/sample-call.ts";
import type { BindingSample } from "../samples/sample-messages.ts";
import { renderChoices } from "./elements.ts";

/** The operation of a test form. */
export interface TestFormOptions {
  readonly name: string;
  readonly operation: Operation;
  readonly samples: readonly BindingSample[];
  /** False where the reader may not call the operation: the page then says where the form is. */
  readonly hasForm: boolean;
}

/** From this number of fields on they are in columns where there is room, with the response below them. */
const columnsFrom = 4;

/**
 * The form that calls an operation from its page. Without a script it is a plain HTML form where the
 * service offers HTTP GET. Elsewhere it then cannot be sent, so that no typed value gets into a URL.
 */
export function renderTestForm(service: DescribedService, options: TestFormOptions): Markup {
  const { name, operation, samples, hasForm } = options;
  if (!hasForm) {
    return html`<p class="note">This operation uses passwords or cookies. Its form is available on the admin listener only (<code>WFH_ADMIN_PORT</code>).</p>`;
  }
  const isPlain = isOffered(service, "http-get");
  const choices = samples.map(({ binding, title }) => ({ value: binding, title }));
  const fields = Object.entries(operation.input);
  const examples = new Map(
    sampleCall(service, name, "example").sent.map(({ name: part, text }) => [part, text]),
  );
  const target =
    isPlain && html` method="get" action="${`${relativeAddressOf(service.contract)}/${name}`}"`;
  return html`<div class="try${fields.length >= columnsFrom && " long"}">
    <div class="call">
    <div id="binding" hidden>${renderChoices("binding", "Binding", choices)}</div>
    <form id="call"${target} autocomplete="off" data-call="${JSON.stringify(formData(service, options))}">
    <fieldset class="fields" id="fields"${!isPlain && html` disabled`}><legend class="unseen">Values</legend>
    ${fields.map(([field, part]) => renderField({ name: field, part, example: examples.get(field) ?? "", isSecret: isPassword(field, operation) }))}
    <button class="send" id="send">Call ${breakable(name)}</button></fieldset>
    </form>
    ${renderHints(isPlain, operation)}
    </div>
    ${resultPanel}
    </div>`;
}

function formData(
  service: DescribedService,
  { name, operation: { input, result, outcome = { done: "Done" } }, samples }: TestFormOptions,
): TestFormData {
  return {
    service: relativeAddressOf(service.contract),
    result: result?.name,
    outcome,
    requests: Object.fromEntries(samples.map(({ binding, description }) => [binding, description])),
    parts: sampleCall(service, name, "placeholders").sent.map(({ name: part, type }) => ({
      name: part,
      type,
      optional: input[part]?.optional === true,
    })),
  };
}

function renderHints(isPlain: boolean, { input, effect }: Operation): Markup {
  const hasOptional = Object.values(input).some(({ optional }) => optional === true);
  const without = isPlain
    ? "Without JavaScript the form uses HTTP GET and opens the response."
    : "The form needs JavaScript: a plain HTML form cannot send XML or JSON.";
  return html`<p class="note">The form makes a real call to this server.${effect && ` ${effect}`}${hasOptional && " Empty optional fields are not sent."}</p>
    <noscript><p class="note">${without}</p></noscript>`;
}

interface Field {
  readonly name: string;
  readonly part: Part;
  /**
   * Value of the example. An optional field has it as a placeholder only: made-up IDs do not belong
   * into a real log, and a made-up user name would count as a log-in attempt.
   */
  readonly example: string;
  readonly isSecret: boolean;
}

const numeric: ReadonlySet<Part["type"]> = new Set<ScalarName>(["int", "long"]);

function renderField({ name, part, example, isSecret }: Field): Markup {
  const { type, optional } = part;
  const label = html`<label for="field-${name}">${name} <small>${typeNameOf(part)}${optional && ", optional"}</small></label>`;
  if (type === "boolean") {
    const options = ["true", "false"].map((word) => html`<option>${word}</option>`);
    return html`<div class="field">${label}<select id="field-${name}" name="${name}">${optional && html`<option value="">(not sent)</option>`}${options}</select></div>`;
  }
  return html`<div class="field">${label}<input id="field-${name}" name="${name}" type="${isSecret ? "password" : "text"}"${optional ? !isSecret && html` placeholder="${`e.g. ${example}`}"` : html` value="${example}"`}${numeric.has(type) && html` inputmode="numeric"`} spellcheck="false" autocapitalize="off" autocomplete="off"></div>`;
}

/** True for a field whose text must not be visible. */
function isPassword(name: string, { credentials }: Operation): boolean {
  return credentials === true && /pass/i.test(name);
}

/** Where the script shows the result; hidden without it. */
const resultPanel = html`<div class="response" id="result" hidden>
    <h3>Response</h3>
    <div class="status" role="status"><p class="outcome" id="outcome"></p><p class="reason" id="reason"></p></div>
    <p class="note" id="before">Call the operation to see its result, with the status, headers and body of the response.</p>
    <div class="response" id="response" hidden>
    <div class="code">
    <div class="code-head"><label class="check"><input type="checkbox" id="as-sent"> Unformatted</label><button type="button" data-copy="response-body" aria-label="Copy the response" hidden>Copy</button></div>
    <pre tabindex="0" role="group" aria-label="Response body"><code id="response-body"></code></pre>
    </div>
    <details><summary>Status and headers</summary><pre tabindex="0" role="group" aria-label="Status and headers"><code id="response-head"></code></pre></details>
    </div>
    <details id="request" hidden><summary>Request</summary><pre tabindex="0" role="group" aria-label="Request"><code id="request-sent"></code></pre></details>
    </div>`;
