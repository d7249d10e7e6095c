import type { Operation, Part, ScalarName } from "../../contract/operation.ts";
import {
  type DescribedApi,
  type DescribedService,
  isOffered,
  isRestApi,
  relativeAddressOf,
  requestOf,
} from "../described-service.ts";
import { html, type Markup } from "../markup.ts";
import { callTarget } from "../samples/call-target.ts";
import { describeOutcome, valuesOf } from "../samples/outcome.ts";
import type { TestFormData } from "../samples/request.ts";
import { sampleCall } from "../samples/sample-call.ts";
import type { MessageSample } from "../samples/sample-messages.ts";
import { renderPlainCode } from "./elements.ts";
import { formOf, needOf, renderMeaning, renderName, renderParameters } from "./parts.ts";

/**
 * The parameters of an operation with what they mean, as fields of a form that calls it.
 *
 * @param hasForm false where the reader may not call the operation: the page then says where the form is.
 */
export function renderTestForm(
  service: DescribedApi | DescribedService,
  name: string,
  hasForm: boolean,
): Markup {
  const { operation, sent } = sampleCall(service, name, "example");
  const examples = new Map(sent.map(({ name: part, text }) => [part, text]));
  if (!hasForm) {
    return html`${renderParameters(operation, examples)}
      <p class="note">This operation uses passwords or cookies. Its form is available on the admin listener only (<code>WFH_ADMIN_PORT</code>).</p>`;
  }
  const fields = Object.entries(requestOf(operation).parts).map(([field, part]) =>
    renderField({
      ...{ name: field, part, example: examples.get(field) ?? "" },
      isSecret: operation.credentials === true && /pass/i.test(field),
      form: formOf(operation),
      isEmpty: part.optional === true || operation.credentials === true,
    }),
  );
  const action = plainAction(service, name, operation);
  return html`<div class="call"><form id="call"${action !== undefined && html` method="get" action="${action}"`} autocomplete="off">
    <fieldset class="parts" id="fields"${action === undefined && html` disabled`}><legend class="unseen">Values</legend>
    ${fields.length === 0 ? html`<p class="note">None.</p>` : fields}</fieldset></form>
    <button type="submit" class="send" id="send" form="call"${action === undefined && html` disabled`}>Send request</button>
    ${renderHints(action !== undefined, operation)}
    </div>`;
}

/**
 * Where a form goes without a script: to HTTP GET, or a resource whose parts are all in its query. Elsewhere it cannot
 * be sent, so that no typed value gets into a URL.
 */
function plainAction(
  service: DescribedApi | DescribedService,
  name: string,
  { resource }: Operation,
): string | undefined {
  const address = relativeAddressOf(service.contract);
  if (!isRestApi(service)) return isOffered(service, "http-get") ? `${address}/${name}` : undefined;
  const isPlain = resource?.method === "GET" && !resource.path.includes("{");
  return isPlain ? `${address}/${resource.path}` : undefined;
}

/** Describes a call for the script of its page. */
export function describeCall(
  service: DescribedApi | DescribedService,
  name: string,
  samples: readonly MessageSample[],
  shown: MessageSample,
): TestFormData {
  const { operation, sent: examples } = sampleCall(service, name, "example");
  const { result, outcome = { done: "Done" } } = operation;
  const { parts } = requestOf(operation);
  return {
    service: relativeAddressOf(service.contract),
    result: result?.name,
    outcome,
    requests: Object.fromEntries(samples.map(({ binding, description }) => [binding, description])),
    parts: sampleCall(service, name, "placeholders").sent.map(({ name: part, type }) => ({
      name: part,
      type,
      optional: parts[part]?.optional === true,
      example: examples.find((one) => one.name === part)?.text,
    })),
    target: callTarget(service, name, operation, shown),
  };
}

function renderHints(isPlain: boolean, operation: Operation): Markup {
  const { effect } = operation;
  const parts = Object.values(requestOf(operation).parts);
  const hasOptional = parts.some(({ optional }) => optional === true);
  const without = isPlain
    ? "Without JavaScript the form opens the response."
    : "The form needs JavaScript: a plain HTML form cannot send XML or JSON.";
  return html`<p class="note">The form makes a real call to this server.${effect && ` ${effect}`}${hasOptional && " Empty optional fields are not sent."}</p>
    <noscript><p class="note">${without}</p></noscript>`;
}

interface Field {
  readonly name: string;
  readonly part: Part;
  /**
   * Value of the example. An optional field, or one of a log-in, has it as a placeholder only: made-up IDs do not
   * belong into a real log, and a made-up user name would count as a log-in attempt.
   */
  readonly example: string;
  readonly isSecret: boolean;
  readonly form: ReturnType<typeof formOf>;
  /** Whether it starts without the value of the example. */
  readonly isEmpty: boolean;
}

const numeric: ReadonlySet<Part["type"]> = new Set<ScalarName>(["int", "long"]);

function renderField(field: Field): Markup {
  const { name, part, form } = field;
  return html`<div><label for="field-${name}">${renderName(name, part, { need: needOf(part), form })}</label>
    <div>${renderInput(field)}
    <div id="meaning-${name}">${renderMeaning(part, undefined)}</div></div></div>`;
}

function renderInput({ name, part, example, isSecret, isEmpty }: Field): Markup {
  const { type, optional } = part;
  const shared = html`id="field-${name}" name="${name}" aria-describedby="meaning-${name}"`;
  if (type === "boolean") {
    const options = ["true", "false"].map((word) => html`<option>${word}</option>`);
    return html`<select ${shared}>${optional && html`<option value="">(not sent)</option>`}${options}</select>`;
  }
  return html`<input ${shared} type="${isSecret ? "password" : "text"}"${isEmpty ? !isSecret && example !== "" && html` placeholder="${`e.g. ${example}`}"` : html` value="${example}"`}${numeric.has(type) && html` inputmode="numeric"`} spellcheck="false" autocapitalize="off" autocomplete="off">`;
}

/** The response of the example, which the script replaces by that to a call. */
export function renderResponsePanel(
  { outcome, example }: Operation,
  { response }: MessageSample,
): Markup {
  const { words, kind, reason } = describeOutcome(
    outcome ?? { done: "Done" },
    valuesOf(example?.result),
  );
  return html`<section class="response" id="result" aria-labelledby="result-title">
    <h2 id="result-title">Response example</h2>
    <div role="status"><p class="outcome ${kind}" id="outcome"><strong>${words}</strong></p><p class="reason" id="reason">${reason}</p></div>
    <div id="received">${renderPlainCode({ id: "response-body", label: "the response", text: response.body || "(no body)", language: "json" })}</div>
    <div id="response" hidden>
    <details><summary>Status and headers</summary><pre tabindex="0" role="group" aria-label="Status and headers"><code id="response-head"></code></pre></details>
    <details><summary>Request</summary><pre tabindex="0" role="group" aria-label="Request"><code id="request-sent"></code></pre></details>
    <label class="note"><input type="checkbox" id="as-sent"> Unformatted</label>
    </div></section>`;
}
