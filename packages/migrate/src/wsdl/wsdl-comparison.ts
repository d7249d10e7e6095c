import type { NamedService } from "@wfh/server/contract/action.ts";
import type { ServiceContract } from "@wfh/server/contract/operation.ts";
import { renderWsdl } from "@wfh/server/metadata/wsdl.ts";
import { type Definitions, definitionsOf, findDefinitions } from "./definitions.ts";
import { parseDocument, type WsdlDocuments, WsdlError } from "./documents.ts";
import { type Facts, readService } from "./service-facts.ts";

/** Something that an old WSDL and ours say differently. */
export interface WsdlDifference {
  /** Null for one of a whole port. */
  readonly operation: string | null;
  /** Message and path of the part, such as `request State/Country`; empty for a whole operation. */
  readonly part: string;
  /** The fact, or the kind of what only one of the two has. */
  readonly what: string;
  /** Null where one of the two has nothing of the kind. */
  readonly old: string | null;
  readonly ours: string | null;
  /** Such as `SOAP 1.1`. */
  readonly bindings: readonly string[];
}

/** An old WSDL beside ours, for one service. */
export interface WsdlComparison {
  readonly contract: ServiceContract;
  /** Element namespace of the old service. */
  readonly namespace: string;
  /** Other than the namespace, they are those that remain once it is set. */
  readonly differences: readonly WsdlDifference[];
  /** Where the old server has the service, without repeated addresses. */
  readonly addresses: readonly string[];
}

/**
 * Compares an old WSDL with ours, for each service that it describes.
 *
 * @throws {WsdlError} when it describes none of them, or refers to what it does not define.
 */
export function compareWsdl(
  { place, roots, failedImports }: WsdlDocuments,
  services: readonly NamedService[],
): readonly WsdlComparison[] {
  try {
    const definitions = findDefinitions(roots);
    const known = new Set(services.flatMap(({ contract }) => namesOf(contract)));
    return findServices(definitions, services).map((service) =>
      compareService(service, definitions, known),
    );
  } catch (cause) {
    if (!(cause instanceof WsdlError)) throw cause;
    throw new WsdlError([`${place} ${cause.message}`, ...failedImports].join("\n"), cause);
  }
}

function namesOf({ operations }: ServiceContract): readonly string[] {
  return Object.keys(operations);
}

/** The services with an operation that is defined, with or without an address. */
function findServices(
  definitions: Definitions,
  services: readonly NamedService[],
): readonly NamedService[] {
  const portTypes = definitionsOf(definitions, "portType").map((one) => ({
    name: one.text("name"),
    operations: one.children("operation").map((operation) => operation.text("name")),
  }));
  const defined = new Set(portTypes.flatMap(({ operations }) => operations));
  const found = services.filter(({ contract }) =>
    namesOf(contract).some((name) => defined.has(name)),
  );
  if (found.length > 0) return found;
  const show = (name: string, operations: readonly string[]) =>
    `${name} (${operations.slice(0, 5).join(", ")})`;
  const shown = portTypes.slice(0, 3).map((one) => show(one.name, one.operations));
  const expected = services.map(({ contract }) => show(contract.name, namesOf(contract)));
  const problem = shown.length === 0 ? "has no operations" : "describes another service: ";
  throw new WsdlError(`${problem}${shown.join(", ")}.\nExpected ${expected.join(" or ")}.`);
}

function compareService(
  { contract, namespace: configured }: NamedService,
  definitions: Definitions,
  known: ReadonlySet<string>,
): WsdlComparison {
  const old = readService(definitions, contract, known);
  const { addresses, namespace = configured } = old;
  if (addresses.length === 0) {
    throw new WsdlError(
      `has operations of ${contract.name}, but no address for them.\nA WSDL does not describe JSON. For SOAP, an import with the ports is missing.`,
    );
  }
  // With the old namespace, which is one difference, no other name differs because of it.
  const address = `http://localhost${contract.path}`;
  const text = renderWsdl({ contract, namespace, address });
  const root = parseDocument(new TextEncoder().encode(text), undefined, "Our WSDL");
  const ours = readService(findDefinitions([root]), contract, known);
  const differences = new Map<string, WsdlDifference>();
  const find: Find = (path, what, before, now) => {
    if (before === now) return;
    const [binding = "", operation = null, ...parts] = path;
    const difference = { operation, part: partOf(parts), what, old: before, ours: now };
    // Those of an unqualified schema differ as one, and the same over another binding is joined.
    const key = JSON.stringify({
      ...difference,
      part: what === "namespace" ? "" : difference.part,
    });
    const known = differences.get(key) ?? { ...difference, bindings: [] };
    differences.set(key, { ...known, bindings: [...new Set([...known.bindings, binding])] });
  };
  find(["SOAP"], "namespace", namespace, configured);
  compareFacts([], old.facts, ours.facts, find);
  return {
    contract,
    namespace,
    differences: [...differences.values()],
    addresses: [...new Set(addresses)],
  };
}

function partOf([message = "", ...parts]: readonly string[]): string {
  return `${message} ${parts.join("/")}`.trim();
}

type Find = (
  path: readonly string[],
  what: string,
  old: string | null,
  ours: string | null,
) => void;

/** Names what is inside facts, by how many names lead to it; further on, these are parts. */
const kinds = ["port", "operation", "message"];

/** Compares facts with ours. The path leads to them: binding, operation, message and parts. */
function compareFacts(path: readonly string[], old: Facts, ours: Facts, find: Find): void {
  for (const what of new Set([...old.own.keys(), ...ours.own.keys()])) {
    find(path, what, old.own.get(what) ?? null, ours.own.get(what) ?? null);
  }
  // Operations have no order.
  if (path.length > 2) find(path, "element order", common(old, ours), common(ours, old));
  // The parts of another style are other parts.
  if (old.own.get("style") !== ours.own.get("style")) return;
  for (const name of new Set([...old.inside.keys(), ...ours.inside.keys()])) {
    const theirs = old.inside.get(name);
    const mine = ours.inside.get(name);
    const below = [...path, name];
    if (theirs !== undefined && mine !== undefined) compareFacts(below, theirs, mine, find);
    else find(below, kinds[path.length] ?? "part", describe(name, theirs), describe(name, mine));
  }
}

/** Names of what both have inside, in the order of the first. */
function common(first: Facts, second: Facts): string {
  return [...first.inside.keys()].filter((name) => second.inside.has(name)).join(", ");
}

function describe(name: string, facts: Facts | undefined): string | null {
  if (facts === undefined) return null;
  const type = facts.own.get("type name") ?? facts.own.get("type");
  return type === undefined ? name : `${name} (${type})`;
}
