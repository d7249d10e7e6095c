import { checkJsonLimits } from "@wfh/server/codec/json/reader.ts";
import type { XmlAttribute, XmlElement } from "@wfh/server/codec/xml/reader.ts";

/** An element or attribute of XML or a value of JSON, in a form in which all are compared. */
export interface TreeNode {
  /** Element's local name, `@` and attribute's name, member's name, or `item` in an array. */
  readonly name: string;
  /** Namespace of an element or an attribute, type of a JSON value. */
  readonly kind: string;
  readonly isNil: boolean;
  /** To the letter: a number of JSON is never a double. */
  readonly text: string;
  /** Attributes, in the order of their names and namespaces, and elements; or members. */
  readonly children: readonly TreeNode[];
}

/** Kinds of differences. Only `value` leaves the structure as it is. */
type ResponseDifferenceKind = "value" | "missing" | "added" | "order" | "nil" | "namespace or type";

/** One place at which two responses differ. */
export interface ResponseDifference {
  /** Such as `PostalCodeToCityStateResult/State/State_id`, `headers/Cache-Control` or `status`. */
  readonly path: string;
  readonly kind: ResponseDifferenceKind;
  /** Null where there is nothing. */
  readonly old: string | null;
  readonly ours: string | null;
  /** Why a value that may be another one counts. */
  readonly note?: string;
}

const xmlSchemaInstance = "http://www.w3.org/2001/XMLSchema-instance";
type Prefixes = Readonly<Record<string, string>>;
type Attributes = readonly (readonly [key: string, attribute: XmlAttribute])[];

/** Reads the tree of an XML document, in which no prefix is left. */
export function fromXml(element: XmlElement, outer: Prefixes = {}): TreeNode {
  const { name, namespace: kind } = element;
  const all: Attributes = Object.entries(element.attributes);
  // Nearly all elements have none.
  const prefixes = all.length > 0 ? { ...outer, ...prefixesOf(all) } : outer;
  const attributes = all.length > 0 ? attributesOf(all, prefixes) : [];
  const elements = element.children.filter(isMeant).map((child) => fromXml(child, prefixes));
  const nil = all.find(([, attribute]) => isNilAttribute(attribute))?.[1].value.trim();
  return {
    name,
    kind,
    isNil: nil === "true" || nil === "1",
    text: textOf(element, prefixes),
    children: attributes.length > 0 ? [...attributes, ...elements] : elements,
  };
}

/** Text of an element, without white space between others. A fault code is a name with a prefix. */
function textOf({ name, text, children }: XmlElement, prefixes: Prefixes): string {
  if (children.length > 0 && text.trim() === "") return "";
  return name === "faultcode" || name === "Value" ? resolvePrefix(text, prefixes) : text;
}

function prefixesOf(attributes: Attributes): Prefixes {
  const declared = attributes.filter(([key]) => key.startsWith("xmlns:"));
  return Object.fromEntries(declared.map(([key, { value }]) => [key.slice(6), value]));
}

function attributesOf(attributes: Attributes, prefixes: Prefixes): readonly TreeNode[] {
  return attributes
    .filter(([key, attribute]) => !isNilAttribute(attribute) && !/^xmlns(?:$|:)/.test(key))
    .map(([, { local, uri, value }]) => leaf(`@${local}`, uri, resolvePrefix(value, prefixes)))
    .sort((one, other) => (sortKeyOf(one) < sortKeyOf(other) ? -1 : 1));
}

/** Attributes of different namespaces may have the same name. */
function sortKeyOf({ name, kind }: TreeNode): string {
  return `${name} ${kind}`;
}

function isNilAttribute({ local, uri }: XmlAttribute): boolean {
  return local === "nil" && uri === xmlSchemaInstance;
}

function leaf(name: string, kind: string, text: string): OpenNode {
  return { name, kind, isNil: false, text, children: [] };
}

/** True for an element that programs read: documentation in a WSDL means nothing to them. */
function isMeant({ name, namespace }: XmlElement): boolean {
  return name !== "documentation" || namespace !== "http://schemas.xmlsoap.org/wsdl/";
}

/** Resolves a name such as `soap:Client`; any other text, such as an address, stays as it is. */
function resolvePrefix(text: string, prefixes: Prefixes): string {
  const colon = text.indexOf(":");
  const prefix = text.slice(0, Math.max(0, colon));
  if (!Object.hasOwn(prefixes, prefix) || text[colon + 1] === "/") return text;
  return `{${prefixes[prefix]}}${text.slice(colon + 1)}`;
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
  const root = leaf("", "object", "");
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
  if (word === "{") return leaf(name, "object", "");
  if (word === "[") return leaf(name, "array", "");
  if (word.startsWith('"')) return leaf(name, "string", String(JSON.parse(word)));
  if (word === "null") return leaf(name, "null", "");
  return leaf(name, word === "true" || word === "false" ? "boolean" : "number", word);
}

/** Takes every pair of values, equal or not, and each difference of another kind. */
export type Find = (
  path: string,
  kind: ResponseDifferenceKind,
  old: string | null,
  ours: string | null,
) => void;

/**
 * Compares two trees whose roots have the same name, in the order of the old one.
 *
 * @param at path of the roots, and how the kinds of their parents differ.
 */
export function compareTrees(
  old: TreeNode,
  ours: TreeNode,
  find: Find,
  at = { path: old.name, change: "" },
): void {
  const { path } = at;
  const change = old.kind === ours.kind ? "" : `${old.kind} ${ours.kind}`;
  // A namespace holds for what is inside too, and is one difference.
  if (change !== "" && change !== at.change) find(path, "namespace or type", old.kind, ours.kind);
  if (old.isNil !== ours.isNil) find(path, "nil", describe(old), describe(ours));
  else find(path, "value", old.text, ours.text);
  const left = numbered(old.children);
  const right = numbered(ours.children);
  for (const [name, child] of left) {
    const counterpart = right.get(name);
    const inside = `${path}/${name}`;
    if (counterpart === undefined) find(inside, "missing", describe(child), null);
    else compareTrees(child, counterpart, find, { path: inside, change });
  }
  for (const [name, child] of right) {
    if (!left.has(name)) find(`${path}/${name}`, "added", null, describe(child));
  }
  const before = namesIn(left, right);
  const now = namesIn(right, left);
  if (old.kind !== "object" && before !== now) find(path, "order", before, now);
}

type Nodes = ReadonlyMap<string, TreeNode>;

function namesIn(nodes: Nodes, others: Nodes): string {
  return [...nodes.keys()].filter((name) => others.has(name)).join(", ");
}

/** Children by name, without the class of a JSON object. Further ones of a name are numbered. */
function numbered(children: readonly TreeNode[]): Nodes {
  const nodes = new Map<string, TreeNode>();
  const counts = new Map<string, number>();
  for (const child of children) {
    if (child.name === "__type" && child.kind === "string") continue;
    const count = (counts.get(child.name) ?? 0) + 1;
    counts.set(child.name, count);
    nodes.set(count === 1 ? child.name : `${child.name}[${count}]`, child);
  }
  return nodes;
}

/** Describes the content of a node in a few words. */
export function describe({ name, isNil, text, children }: TreeNode): string {
  if (isNil) return "nil";
  if (children.length === 0) return text;
  return `<${name}> with ${children.map((child) => child.name).join(", ")}`;
}
