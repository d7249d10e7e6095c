import { bytesAsText } from "../../codec/decode-text.ts";
import { compareHeaders } from "./headers.ts";
import { findKnown } from "./known-differences.ts";
import { type DecodedBody, decodeBody, type WholeResponse } from "./response.ts";
import type { ExchangeFacts, RuleBook } from "./rules.ts";
import { compareTrees, type Difference, type Findings, type TreeNode } from "./tree.ts";

/** Beginning of a request in which a known difference is looked for, in bytes. */
const requestBytesMax = 4_096;

/** A request with where it belongs. */
export interface ComparedRequest extends ExchangeFacts {
  readonly method: string;
  readonly target: string;
  readonly body: Uint8Array;
}

/** How two responses to one request compare. */
export interface ResponseComparison {
  readonly result: "identical" | "explained" | "different";
  /** Rules that explain what differs, with their reasons. */
  readonly explained: ReadonlyMap<string, string>;
  /** What no rule explains. */
  readonly differences: readonly Difference[];
}

/** Compares our response with the old one by meaning. */
export function compareExchange(
  request: ComparedRequest,
  old: WholeResponse,
  ours: WholeResponse,
  rules: RuleBook,
): ResponseComparison {
  const explained = new Map<string, string>();
  const differences: Difference[] = [];
  const findings: Findings = {
    value: (path, before, now) => {
      const found = rules.compare(request, path, before, now);
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
    const known = findKnown(
      `${request.method} ${request.target} ${request.operation}\n${bytesAsText(request.body.subarray(0, requestBytesMax))}`,
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
