import { checkJsonLimits } from "../../codec/json/reader.ts";
import type { XmlAttribute, XmlElement } from "../../codec/xml/reader.ts";

/** An element of XML or a value of JSON, in a form in which both are compared. */
export interface TreeNode {
  /** Local name of an element, name of a member, or `item` in an array. */
  readonly name: string;
  /** Namespace of an element, type of a JSON value. */
  readonly kind: string;
  readonly isNil: boolean;
  /** Attributes by their names, with the namespace where they have one. */
  readonly attributes: Readonly<Record<string, string>>;
  /** To the letter: a number of JSON is never a double. */
  readonly text: string;
  readonly children: readonly TreeNode[];
}

/** How a place in two responses differs. Only `value` leaves the structure as it is. */
export type DifferenceKind = "value" | "missing" | "added" | "order" | "nil" | "namespace or type";

/** One place at which two responses differ. */
export interface Difference {
  /** Such as `PostalCodeToCityStateResult/State/State_id`, `headers/Cache-Control` or `status`. */
  readonly path: string;
  readonly kind: DifferenceKind;
  /** Null where there is nothing. */
  readonly old: string | null;
  readonly ours: string | null;
  /** Why a value that may be another one counts. */
  readonly note?: string;
}

const xmlSchemaInstance = "http://www.w3.org/2001/XMLSchema-instance";
type Prefixes = Readonly<Record<string, string>>;
const noAttributes = {};

/** The tree of an XML document. Prefixes leave no trace, not even within names of faults and types. */
export function fromXml(element: XmlElement, outer: Prefixes = {}): TreeNode {
  const { name, namespace, children, text } = element;
  const all = Object.entries(element.attributes);
  const declared = all.filter(([key]) => key.startsWith("xmlns:"));
  const prefixes =
    declared.length === 0
      ? outer
      : {
          ...outer,
          ...Object.fromEntries(declared.map(([key, { value }]) => [key.slice(6), value])),
        };
  const attributes = all
    .filter(([key, one]) => !/^xmlns(?:$|:)/.test(key) && !isNilAttribute(one))
    .map(({ 1: { local, uri, value } }) => [
      uri === "" ? local : `{${uri}}${local}`,
      resolvePrefix(value, prefixes),
    ]);
  const isLayout = children.length > 0 && text.trim() === "";
  const isName = name === "faultcode" || name === "Value";
  return {
    name,
    kind: namespace,
    isNil: all.some(([, one]) => isNilAttribute(one) && /^\s*(?:true|1)\s*$/.test(one.value)),
    attributes: attributes.length === 0 ? noAttributes : Object.fromEntries(attributes),
    text: isLayout ? "" : isName ? resolvePrefix(text, prefixes) : text,
    children: children.filter(isMeant).map((child) => fromXml(child, prefixes)),
  };
}

function isNilAttribute({ local, uri }: XmlAttribute): boolean {
  return local === "nil" && uri === xmlSchemaInstance;
}

/** Whether programs read an element: what a WSDL says to people means nothing to them. */
function isMeant({ name, namespace }: XmlElement): boolean {
  return name !== "documentation" || namespace !== "http://schemas.xmlsoap.org/wsdl/";
}

function resolvePrefix(text: string, prefixes: Prefixes): string {
  const colon = text.indexOf(":");
  const uri = colon < 0 || text[colon + 1] === "/" ? undefined : prefixes[text.slice(0, colon)];
  return uri === undefined ? text : `{${uri}}${text.slice(colon + 1)}`;
}

/** Strings, brackets, and everything else but what separates them. */
const token = /("(?:[^"\\]|\\.)*"|[[\]{}]|[^\s[\]{}:,"]+)/gs;

/**
 * The tree of a JSON text, with all members that have the same name.
 *
 * @throws {SyntaxError} when it is not JSON, or nested too deep.
 */
export function fromJson(text: string): TreeNode {
  JSON.parse(text);
  const root = jsonNode("", "object");
  const open = [root];
  let name: string | undefined = "";
  for (const { 1: word = "" } of text.matchAll(token)) {
    const parent = open.at(-1) ?? root;
    if (/^[}\]]$/.test(word)) open.pop();
    else if (parent.kind === "object" && name === undefined) name = String(JSON.parse(word));
    else {
      const child = toJsonNode(name ?? "item", word);
      name = undefined;
      parent.children.push(child);
      if (/^[{[]$/.test(word)) open.push(child);
      checkJsonLimits(open.length, 0);
    }
  }
  return root.children[0] ?? root;
}

type OpenNode = TreeNode & { readonly children: OpenNode[] };

function toJsonNode(name: string, word: string): OpenNode {
  if (word === "{") return jsonNode(name, "object");
  if (word === "[") return jsonNode(name, "array");
  if (word.startsWith('"')) return jsonNode(name, "string", String(JSON.parse(word)));
  if (word === "null") return jsonNode(name, "null");
  return jsonNode(name, word === "true" || word === "false" ? "boolean" : "number", word);
}

function jsonNode(name: string, kind: string, text = ""): OpenNode {
  return { name, kind, isNil: false, attributes: noAttributes, text, children: [] };
}

/** Collects how two responses compare. */
export interface Findings {
  /** Takes every pair of values, equal or not. */
  value(path: string, old: string, ours: string): void;
  /** Takes a difference of structure. */
  add(path: string, kind: DifferenceKind, old: string | null, ours: string | null): void;
}

/** Finds all differences between two trees, in the order of the old one. */
export function compareTrees(old: TreeNode, ours: TreeNode, findings: Findings): void {
  const add = (...[path, ...rest]: Parameters<Findings["add"]>) =>
    findings.add(shorten(path), ...rest);
  const value = (path: string, before: string, now: string) =>
    findings.value(shorten(path), before, now);
  const visit = (path: string, before: TreeNode, now: TreeNode, outer = "") => {
    const change = before.kind === now.kind ? "" : `${before.kind} ${now.kind}`;
    // A namespace holds for what is inside too, and is one difference.
    if (change !== "" && change !== outer) {
      add(path, "namespace or type", before.kind, now.kind);
    }
    if (before.isNil !== now.isNil) add(path, "nil", describe(before), describe(now));
    else value(path, before.text, now.text);
    visitAttributes(path, before.attributes, now.attributes);
    visitChildren(path, before, now, change);
  };
  const visitAttributes = (
    path: string,
    before: TreeNode["attributes"],
    now: TreeNode["attributes"],
  ) => {
    if (before === now) return;
    for (const name of new Set([...Object.keys(before), ...Object.keys(now)])) {
      const [left, right] = [before[name], now[name]];
      if (left === undefined) add(`${path}/@${name}`, "added", null, right ?? null);
      else if (right === undefined) add(`${path}/@${name}`, "missing", left, null);
      else value(`${path}/@${name}`, left, right);
    }
  };
  const visitChildren = (
    path: string,
    { children: before, kind }: TreeNode,
    now: TreeNode,
    change: string,
  ) => {
    const [left, right] = [numbered(before), numbered(now.children)];
    const common = [...left.keys()].filter((key) => right.has(key));
    for (const [key, child] of left) {
      const other = right.get(key);
      if (other !== undefined) visit(`${path}/${key}`, child, other, change);
      else add(`${path}/${key}`, "missing", describe(child), null);
    }
    for (const [key, child] of right) {
      if (!left.has(key)) add(`${path}/${key}`, "added", null, describe(child));
    }
    const order = [...right.keys()].filter((key) => left.has(key));
    if (kind !== "object" && common.some((key, i) => key !== order[i])) {
      add(path, "order", common.join(", "), order.join(", "));
    }
  };
  if (old.name === ours.name) visit(old.name, old, ours);
  else add("body", "namespace or type", describe(old), describe(ours));
}

/** Children by their names, without that of the class of a JSON object; further ones of a name get its number. */
function numbered(children: readonly TreeNode[]): ReadonlyMap<string, TreeNode> {
  const counts = new Map<string, number>();
  const nodes = new Map<string, TreeNode>();
  for (const child of children) {
    if (child.name === "__type" && child.kind === "string") continue;
    const count = (counts.get(child.name) ?? 0) + 1;
    counts.set(child.name, count);
    nodes.set(count === 1 ? child.name : `${child.name}[${count}]`, child);
  }
  return nodes;
}

/** Without what every response of SOAP has around it. */
function shorten(path: string): string {
  return path.replace(/^\//, "").replace(/^Envelope\/Body\/(?:[^/]+Response\/)?/, "");
}

function describe({ name, isNil, text, children }: TreeNode): string {
  if (isNil) return "nil";
  if (children.length === 0) return text;
  return `<${name}> with ${children.map((child) => child.name).join(", ")}`;
}
