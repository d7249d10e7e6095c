import type { Operation, Part, ScalarName } from "../../contract/operation.ts";
import {
  type Described,
  isRestApi,
  relativeAddressOf,
  requestPartsOf,
  tokenPart,
} from "../described-service.ts";
import { html, type Markup } from "../markup.ts";
import { describeOutcome, valuesOf } from "../samples/outcome.ts";
import type { TestFormData } from "../samples/request.ts";
import { sampleCall } from "../samples/sample-call.ts";
import type { MessageSample } from "../samples/sample-messages.ts";
import { sampleTarget } from "../samples/sample-target.ts";
import { renderPlainCode } from "./elements.ts";
import { exampleText, renderMeaning, renderName, renderParts, requestStyle } from "./parts.ts";

/**
 * The parameters of an operation with what they mean, as fields of a form that calls it.
 *
 * @param hasForm false where the reader may not call it: the page then says where the form is.
 */
export function renderTestForm(
  service: Described,
  name: string,
  operation: Operation,
  hasForm: boolean,
): Markup {
  const { parts, values = {} } = requestPartsOf(operation);
  if (!hasForm) {
    return html`${renderParts(parts, values, requestStyle(operation))}
      <p class="note">This operation uses passwords or cookies. Its form is available on the admin listener only (<code>WFH_ADMIN_PORT</code>).</p>`;
  }
  const fields = Object.keys(parts).map((part) => renderField(part, operation));
  const hasOptional = Object.values(parts).some(({ optional }) => optional === true);
  const action = plainAction(service, name, operation);
  const disabled = action === undefined && html` disabled`;
  return html`<div class="call"><form id="call"${action !== undefined && html` method="get" action="${action}"`} autocomplete="off">
    <fieldset class="parts" id="fields"${disabled}><legend class="unseen">Values</legend>
    ${fields.length === 0 ? html`<p class="note">None.</p>` : fields}</fieldset></form>
    <button type="submit" class="send" id="send" form="call"${disabled}>Send request</button>
    <p class="note">The form makes a real call to this server.${operation.effect && ` ${operation.effect}`}${hasOptional && " Empty optional fields are not sent."}</p>
    <noscript><p class="note">${disabled ? `The form needs JavaScript: a plain HTML form cannot send ${operation.token ? "a token" : "XML or JSON"}.` : "Without JavaScript the form opens the response."}</p></noscript>
    </div>`;
}

/**
 * Address of a form without a script: HTTP GET, or a resource whose parts are all in its query.
 * Elsewhere it cannot be sent, so that no typed value gets into a URL.
 */
function plainAction(
  service: Described,
  name: string,
  { resource, token }: Operation,
): string | undefined {
  const address = relativeAddressOf(service.contract);
  if (!isRestApi(service)) {
    return service.contract.bindings.includes("http-get") ? `${address}/${name}` : undefined;
  }
  const isPlain = resource?.method === "GET" && !resource.path.includes("{") && !token;
  return isPlain ? `${address}/${resource.path}` : undefined;
}

/** Describes a call for the script of its page. */
export function describeCall(
  service: Described,
  name: string,
  samples: readonly MessageSample[],
  shown: MessageSample,
): TestFormData {
  const { operation, sent } = sampleCall(service, name, "example");
  const { parts } = requestPartsOf(operation);
  return {
    service: relativeAddressOf(service.contract),
    result: operation.result?.name,
    outcome: operation.outcome ?? { done: "Done" },
    requests: Object.fromEntries(samples.map(({ binding, description }) => [binding, description])),
    parts: sampleCall(service, name, "placeholders").sent.map(({ name: part, type }) => ({
      name: part,
      type,
      optional: parts[part]?.optional === true,
    })),
    example: sent,
    target: sampleTarget(service, name, operation, shown),
  };
}

const numeric: ReadonlySet<Part["type"]> = new Set<ScalarName>(["int", "long"]);

function renderField(name: string, operation: Operation): Markup | undefined {
  const { parts, values } = requestPartsOf(operation);
  const part = parts[name];
  if (part === undefined) return undefined;
  const example = exampleText(values?.[name]) ?? "";
  const isSecret =
    (operation.credentials === true && /pass/i.test(name)) ||
    (operation.token === true && name === tokenPart);
  const shared = html`id="field-${name}" name="${name}" aria-describedby="meaning-${name}"`;
  // An optional field, or one of a log-in, has the example as a placeholder only: made-up IDs do
  // not belong into a real log, and a made-up user name would count as a log-in attempt.
  const isEmpty = part.optional === true || operation.credentials === true;
  const hint = example !== "" && !isSecret && html` placeholder="e.g. ${example}"`;
  const input =
    part.type === "boolean"
      ? html`<select ${shared}>${part.optional && html`<option value="">(not sent)</option>`}<option>true</option><option>false</option></select>`
      : html`<input ${shared} type="${isSecret ? "password" : "text"}"${isEmpty ? hint : html` value="${example}"`}${numeric.has(part.type) && html` inputmode="numeric"`} spellcheck="false" autocapitalize="off" autocomplete="off">`;
  return html`<div><label for="field-${name}">${renderName(name, part, requestStyle(operation))}</label>
    <div>${input}
    <div id="meaning-${name}">${renderMeaning(part)}</div></div></div>`;
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
