import { emptyBody } from "@wfh/server/bindings/http.ts";
import { namespaceAdvice } from "@wfh/server/bindings/soap/action.ts";
import { bytesAsText } from "@wfh/server/codec/decode-text.ts";
import { bytesOf, type Exchange } from "../exchange.ts";
import { services } from "../services.ts";
import { compareHeaders } from "./headers.ts";
import { findKnown } from "./known-differences.ts";
import type { RuleBook } from "./rules.ts";
import {
  compareTrees,
  describe,
  type Find,
  type ResponseDifference,
  type TreeNode,
} from "./tree.ts";
import { type DecodedBody, decodeBody, type WholeResponse } from "./whole-response.ts";

/** Beginning of a request in which a known difference is looked for, in bytes. */
const requestBytesMax = 4_096;

/** Result of comparing two responses to one request. */
export interface ResponseComparison {
  readonly result: "identical" | "explained" | "different";
  /** Rules that explain what differs, with their reasons. */
  readonly explained: ReadonlyMap<string, string>;
  /** Differences that no rule explains. */
  readonly differences: readonly ResponseDifference[];
}

/** The old response of an exchange. It is empty where it was not recorded. */
export function oldResponseOf({ response }: Exchange): WholeResponse {
  if (response === null) return { status: 0, headers: [], body: emptyBody };
  return { ...response, body: bytesOf(response.body) ?? emptyBody };
}

/** Compares our response to the request of an exchange with the old one by meaning. */
export function compareExchange(
  exchange: Exchange,
  ours: WholeResponse,
  rules: RuleBook,
): ResponseComparison {
  const old = oldResponseOf(exchange);
  const explained = new Map<string, string>();
  const differences: ResponseDifference[] = [];
  const find: Find = (path, kind, before, now) => {
    const difference = { path, kind, old: before, ours: now };
    const isForRules = kind === "value" || kind === "missing";
    const found = isForRules ? rules.check(exchange, difference) : difference;
    if (found === undefined) return;
    if ("reason" in found) explained.set(found.name, found.reason);
    else differences.push(found);
  };
  const left = decodeBody(old);
  const right = decodeBody(ours);
  if (old.status !== ours.status) {
    // Not for rules: none explains another status.
    const before = String(old.status);
    const now = String(ours.status);
    differences.push({ path: "status", kind: "value", old: before, ours: now });
  }
  compareHeaders(old.headers, ours.headers, exchange.at, find);
  const beforeBody = differences.length;
  compareBodies(left, right, find);
  rules.endBody(differences.slice(beforeBody).every(({ kind }) => kind !== "value"));
  if (differences.length > 0) {
    const responses = `${summarize(old, left)}\n${summarize(ours, right)}`;
    const known = findKnown(summarizeRequest(exchange, left.tree), responses);
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
  return { result, explained, differences: differences.map((one) => advise(one, exchange, right)) };
}

function compareBodies(old: DecodedBody, ours: DecodedBody, find: Find): void {
  const left = old.tree;
  const right = ours.tree;
  if (old.form !== ours.form) find("body", "namespace or type", old.form, ours.form);
  else if (left === undefined || right === undefined) find("body", "value", old.text, ours.text);
  else if (left.name !== right.name) {
    find("body", "namespace or type", describe(left), describe(right));
  } else {
    compareTrees(left, right, (path, ...rest) => find(shorten(path), ...rest));
  }
}

/** Without what every response of SOAP has around it. A value of JSON alone has no name. */
function shorten(path: string): string {
  const short = path.replace(/^Envelope\/Body\/(?:[^/]+Response\/)?|^\//, "") || "body";
  // Paths of the head have other rules, and its values are shown where the body is left out.
  return /^(?:status$|headers\/)/i.test(short) ? `body/${short}` : short;
}

/** Adds the text of our fault, or the setting to change where clients use another namespace. */
function advise(
  difference: ResponseDifference,
  exchange: Exchange,
  { tree }: DecodedBody,
): ResponseDifference {
  const { path, kind, old, ours } = difference;
  const fault = path === "Fault" ? faultOf(tree) : undefined;
  if (fault !== undefined) {
    const isOfName = /action|namespace/i.test(fault.text);
    const note = isOfName && adviseSetting(exchange, requestElement(exchange)?.kind ?? "", "");
    return { ...difference, ours: `${fault.code}: ${fault.text}`, ...(note && { note }) };
  }
  // The setting is the namespace of the whole message, not of the envelope or of single parts.
  const isWhole = kind === "namespace or type" && path !== "Envelope" && !path.includes("/");
  const note = isWhole && adviseSetting(exchange, old ?? "", ours ?? "");
  return note ? { ...difference, note } : difference;
}

/** Setting to change where a call has another namespace than ours; empty for other operations. */
function adviseSetting({ service, operation }: Exchange, sent: string, ours: string): string {
  const contract = services.find(({ name }) => name === service);
  if (contract === undefined || operation === null) return "";
  const element = { name: operation, namespace: sent };
  return namespaceAdvice({ contract, namespace: ours }, element, undefined).replace(/^; /, "");
}

/** The request in the form of a {@link KnownDifference}. */
function summarizeRequest(exchange: Exchange, old: TreeNode | undefined): string {
  const { method, target, body } = exchange.request;
  const asked = requestElement(exchange);
  const got = contentOf(old);
  const isResult = got?.name === `${asked?.name}Response` && got.kind === asked?.kind;
  const start = (bytesOf(body) ?? emptyBody).subarray(0, requestBytesMax);
  const suffix = isResult ? " responded" : "";
  return `${method} ${target} ${exchange.operation}${suffix}\n${bytesAsText(start)}`;
}

/** Status, form and, of an error, code and text in one line; or that there is nothing in it. */
function summarize({ status }: WholeResponse, { form, tree, text }: DecodedBody): string {
  const fault = faultOf(tree);
  if (fault !== undefined) return `${status} ${form} ${fault.code}: ${fault.text}`;
  const line = form === "text" ? text.replace(/[\r\n].*/s, "") : "";
  const message = tree?.children.find(({ name }) => name === "Message")?.text ?? line;
  const isNothing = form === "empty" || (tree !== undefined && holdsNothing(tree));
  return `${status} ${form} ${isNothing ? "nothing" : message}`;
}

/** Code, without its namespace, and text of a fault; undefined for any other document. */
function faultOf(tree: TreeNode | undefined): { code: string; text: string } | undefined {
  const fault = contentOf(tree);
  if (fault?.name !== "Fault") return undefined;
  const [code = "", text = ""] = fault.children.map(({ children: [first], text: own }) =>
    first === undefined ? own : first.text,
  );
  return { code: code.replace(/^\{.*\}/, ""), text };
}

/** The first element of the Body of a request. */
function requestElement({ request: { headers, body } }: Exchange): TreeNode | undefined {
  return contentOf(decodeBody({ status: 0, headers, body: bytesOf(body) ?? emptyBody }).tree);
}

/** The first element of the Body of an envelope. */
function contentOf(tree: TreeNode | undefined): TreeNode | undefined {
  return tree?.children.find(({ name }) => name === "Body")?.children[0];
}

/** True for a result that is null: no value in it. */
function holdsNothing({ text, children }: TreeNode): boolean {
  return text === "" && children.every(holdsNothing);
}
