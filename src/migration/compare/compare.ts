import { noBody } from "../../bindings/http.ts";
import { bytesAsText } from "../../codec/decode-text.ts";
import { bytesOf, type Exchange } from "../exchange.ts";
import { compareHeaders } from "./headers.ts";
import { findKnown } from "./known-differences.ts";
import { type DecodedBody, decodeBody, type WholeResponse } from "./response.ts";
import type { RuleBook } from "./rules.ts";
import { compareTrees, type Difference, type Findings, type TreeNode } from "./tree.ts";

/** Beginning of a request in which a known difference is looked for, in bytes. */
const requestBytesMax = 4_096;

/** How two responses to one request compare. */
export interface ResponseComparison {
  readonly result: "identical" | "explained" | "different";
  /** Rules that explain what differs, with their reasons. */
  readonly explained: ReadonlyMap<string, string>;
  /** What no rule explains. */
  readonly differences: readonly Difference[];
}

/** The old response of an exchange. It is empty where it was not recorded. */
export function oldResponseOf({ response }: Exchange): WholeResponse {
  if (response === null) return { status: 0, headers: [], body: noBody };
  return { ...response, body: bytesOf(response.body) ?? noBody };
}

/** Compares our response to the request of an exchange with the old one by meaning. */
export function compareExchange(
  exchange: Exchange,
  ours: WholeResponse,
  rules: RuleBook,
): ResponseComparison {
  const old = oldResponseOf(exchange);
  const explained = new Map<string, string>();
  const differences: Difference[] = [];
  const findings: Findings = {
    value: (path, before, now) => {
      const found = rules.compare(exchange, path, before, now);
      if (found === undefined) return;
      if ("kind" in found) differences.push(found);
      else explained.set(found.name, found.reason);
    },
    add: (path, kind, before, now) => differences.push({ path, kind, old: before, ours: now }),
  };
  const [left, right] = [decodeBody(old), decodeBody(ours)];
  if (old.status !== ours.status) {
    findings.add("status", "value", String(old.status), String(ours.status));
  }
  compareHeaders(old.headers, ours.headers, findings);
  compareBodies(left, right, findings);
  if (differences.length > 0) {
    const { request, operation } = exchange;
    const body = (bytesOf(request.body) ?? noBody).subarray(0, requestBytesMax);
    const known = findKnown(
      `${request.method} ${request.target} ${operation}\n${bytesAsText(body)}`,
      `${summarize(old, left)}\n${summarize(ours, right)}`,
    );
    if (known !== undefined) {
      explained.set(known.name, known.reason);
      // Of the headers, only those that say what the body is differ with it.
      const rest = differences.filter(({ path }) =>
        /^headers\/(?!Content-Type|Cache-Control|Allow|jsonerror)/i.test(path),
      );
      differences.splice(0, Infinity, ...rest);
    }
  }
  const isExplained = explained.size > 0;
  const result = differences.length > 0 ? "different" : isExplained ? "explained" : "identical";
  return { result, explained, differences };
}

function compareBodies(old: DecodedBody, ours: DecodedBody, findings: Findings): void {
  if (old.form !== ours.form) findings.add("body", "namespace or type", old.form, ours.form);
  else if (old.tree === undefined || ours.tree === undefined) {
    findings.value("body", old.text, ours.text);
  } else compareTrees(old.tree, ours.tree, findings);
}

/** Status, form and, of an error, code and text in one line; or that there is nothing in it. */
function summarize({ status }: WholeResponse, { form, tree, text }: DecodedBody): string {
  const fault = tree?.children.find(({ name }) => name === "Body")?.children[0];
  if (fault?.name !== "Fault") {
    const line = form === "text" ? text.replace(/[\r\n].*/s, "") : "";
    const message = tree?.children.find(({ name }) => name === "Message")?.text ?? line;
    const isNothing = form === "empty" || (tree !== undefined && holdsNothing(tree));
    return `${status} ${form} ${isNothing ? "nothing" : message}`;
  }
  const parts = fault.children.map((child) => child.children[0]?.text ?? child.text);
  return `${status} ${form} ${parts[0]?.replace(/^\{.*\}/, "")}: ${parts[1]}`;
}

/** Whether a result is null: no value in it. */
function holdsNothing({ text, children }: TreeNode): boolean {
  return text === "" && children.every(holdsNothing);
}
