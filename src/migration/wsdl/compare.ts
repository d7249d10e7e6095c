import type { NamedService } from "../../contract/action.ts";
import type { ServiceContract } from "../../contract/operation.ts";
import { renderWsdl } from "../../metadata/wsdl.ts";
import { type Definitions, definitionsOf, findDefinitions } from "./definitions.ts";
import { parse, type WsdlDocuments, WsdlError } from "./documents.ts";
import { type Facts, ServiceReader } from "./facts.ts";
import { type ComparedService, type Difference, impactOf } from "./impact.ts";

/** An old WSDL beside ours, for one service. */
export interface Comparison {
  readonly service: string;
  /** Those that clients notice come first. Other than the namespace, they are those that remain once it is set. */
  readonly differences: readonly Difference[];
  /** Where the old server has the service, by the names of its ports. */
  readonly addresses: Readonly<Record<string, string>>;
  /** Path at which this server has it. */
  readonly path: string;
}

/**
 * Compares an old WSDL with ours, for each service that it describes.
 *
 * @throws {WsdlError} when it describes none of them, or refers to what it does not define.
 */
export function compareWsdl(
  { place, roots, failedImports }: WsdlDocuments,
  services: readonly ComparedService[],
): readonly Comparison[] {
  try {
    const definitions = findDefinitions(roots);
    const known = new Set(services.flatMap(({ contract }) => namesOf(contract)));
    return findServices(definitions, services).map((service) =>
      compareService(service, new ServiceReader(definitions, service.contract, known)),
    );
  } catch (cause) {
    if (!(cause instanceof WsdlError)) throw cause;
    throw new WsdlError([`${place} ${cause.message}`, ...failedImports].join("\n"), { cause });
  }
}

function namesOf({ operations }: ServiceContract): readonly string[] {
  return Object.keys(operations);
}

/** The services with an operation that is defined, with or without an address. */
function findServices(
  definitions: Definitions,
  services: readonly ComparedService[],
): readonly ComparedService[] {
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
  const shown = portTypes
    .slice(0, 3)
    .map((one) => show(one.name, one.operations))
    .join(", ");
  const expected = services.map(({ contract }) => show(contract.name, namesOf(contract)));
  const problem = shown === "" ? "has no operations" : `describes another service: ${shown}`;
  throw new WsdlError(`${problem}.\nExpected ${expected.join(" or ")}.`);
}

function compareService(service: ComparedService, old: ServiceReader): Comparison {
  const { contract, namespace: configured } = service;
  const { facts, addresses, namespace = configured } = old;
  if (Object.keys(addresses).length === 0) {
    throw new WsdlError(
      `has operations of ${contract.name}, but no address for them.\nA WSDL does not describe JSON. For SOAP, an import with the ports is missing.`,
    );
  }
  const report = new Report(service);
  report.add(["SOAP"], "namespace", namespace, configured);
  report.compare([], facts, readOurs({ contract, namespace }));
  return { service: contract.name, differences: report.sorted(), addresses, path: contract.path };
}

/** The facts of our own WSDL. */
function readOurs(service: NamedService): Facts {
  const { contract } = service;
  const text = renderWsdl({ ...service, address: `http://localhost${contract.path}` });
  const root = parse(new TextEncoder().encode(text), undefined, "Our WSDL");
  return new ServiceReader(findDefinitions([root]), contract, new Set(namesOf(contract))).facts;
}

/** What facts are of, by how many names lead to them. */
const kinds = ["port", "operation", "message", "part"] as const;

/** Collects the differences of one service. */
class Report {
  readonly #service: ComparedService;
  readonly #differences = new Map<string, Difference>();

  constructor(service: ComparedService) {
    this.#service = service;
  }

  /** Compares facts with ours. The path leads to them: binding, operation, message and parts. */
  compare(path: readonly string[], old: Facts, ours: Facts): void {
    for (const what of new Set([...Object.keys(old.own), ...Object.keys(ours.own)])) {
      this.add(path, what, old.own[what] || null, ours.own[what] || null);
    }
    // Operations have no order.
    if (path.length > 2) this.add(path, "element order", common(old, ours), common(ours, old));
    // The parts of another style are other parts.
    if (old.own["style"] !== ours.own["style"]) return;
    const kind = kinds[path.length] ?? "part";
    for (const name of new Set([...old.inside.keys(), ...ours.inside.keys()])) {
      const [theirs, mine] = [old.inside.get(name), ours.inside.get(name)];
      const below = [...path, name];
      if (theirs !== undefined && mine !== undefined) this.compare(below, theirs, mine);
      else this.add(below, kind, describe(name, theirs), describe(name, mine));
    }
  }

  /** Adds a difference, if it is one; the same over another binding is joined with it. */
  add(path: readonly string[], what: string, old: string | null, ours: string | null): void {
    if (old === ours) return;
    const [binding = "", operation = null, message = null, ...parts] = path;
    const change = { operation, message, part: parts.join("/") || null, what, old, ours };
    // Those of an unqualified schema differ as one.
    const key = JSON.stringify({ ...change, part: what === "namespace" ? null : change.part });
    const same = this.#differences.get(key) ?? {
      ...change,
      ...impactOf(change, this.#service),
      bindings: [],
    };
    this.#differences.set(key, { ...same, bindings: [...new Set([...same.bindings, binding])] });
  }

  sorted(): readonly Difference[] {
    const rank = ({ clients }: Difference) => ["yes", "only when", "no"].indexOf(clients);
    return [...this.#differences.values()].toSorted((one, other) => rank(one) - rank(other));
  }
}

/** Names of what both have inside, in the order of the first. */
function common(first: Facts, second: Facts): string {
  return [...first.inside.keys()].filter((name) => second.inside.has(name)).join(", ");
}

function describe(name: string, facts: Facts | undefined): string | null {
  if (facts === undefined) return null;
  const type = facts.own["type name"] ?? facts.own["type"];
  return type === undefined ? name : `${name} (${type})`;
}
