import type { NamedService } from "../../contract/action.ts";
import type { ServiceContract } from "../../contract/operation.ts";
import { renderWsdl } from "../../metadata/wsdl.ts";
import { Definitions } from "./definitions.ts";
import { parse, type WsdlDocuments } from "./documents.ts";
import { FactReader, type Facts } from "./facts.ts";
import { type Change, type ComparedService, type Impact, impactOf } from "./impact.ts";
import { WsdlError } from "./source.ts";

/** Something that an old WSDL and ours say differently, with what it means for clients. */
export interface Difference extends Change, Omit<Impact, "fix"> {
  /** The setting that removes it, to be pasted; null without one. */
  readonly fix: string | null;
  /** Such as `SOAP 1.1`. */
  readonly bindings: readonly string[];
}

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
  documents: WsdlDocuments,
  services: readonly ComparedService[],
): readonly Comparison[] {
  const old = new Definitions(documents);
  const portTypes = old.all("portType").map((portType) => ({
    name: portType.text("name"),
    operations: portType.children("operation").map((one) => one.text("name")),
  }));
  const described = new Set(portTypes.flatMap(({ operations }) => operations));
  const found = services.filter(({ contract }) =>
    namesOf(contract).some((name) => described.has(name)),
  );
  if (found.length === 0) {
    const shown = portTypes.map(
      ({ name, operations }) => `${name} (${operations.slice(0, 5).join(", ")})`,
    );
    const expected = services.map(
      ({ contract }) => `${contract.name} (${namesOf(contract).join(", ")})`,
    );
    const lines = [
      shown.length === 0
        ? `${documents.name} has no operations.`
        : `${documents.name} describes another service: ${shown.slice(0, 3).join(", ")}.`,
      `Expected ${expected.join(" or ")}.`,
      ...documents.failedImports,
    ];
    throw new WsdlError(lines.join("\n"));
  }
  const known = new Set(services.flatMap(({ contract }) => namesOf(contract)));
  const reader = new FactReader(old, known);
  return found.map((service) => {
    const { facts, addresses } = reader.readService(service.contract);
    if (Object.keys(addresses).length > 0) return compareService(service, facts, addresses);
    throw new WsdlError(
      `${documents.name} has operations of ${service.contract.name}, but no address for them.\nA WSDL does not describe JSON. For SOAP, an import with the ports is missing.`,
    );
  });
}

function namesOf({ operations }: ServiceContract): readonly string[] {
  return Object.keys(operations);
}

function compareService(
  service: ComparedService,
  old: Facts,
  addresses: Comparison["addresses"],
): Comparison {
  const { contract, namespace: configured } = service;
  const requests = [...old.inside.values()].flatMap((port) =>
    namesOf(contract).flatMap((name) => port.inside.get(name)?.inside.get("request") ?? []),
  );
  // Over HTTP GET and POST, requests have no elements.
  const namespace = requests.flatMap(({ own }) => own["namespace"] ?? [])[0] ?? configured;
  const report = new Report(service);
  report.add(["SOAP"], "namespace", namespace, configured);
  report.compare([], old, ourFacts({ contract, namespace }));
  return { service: contract.name, differences: report.sorted(), addresses, path: contract.path };
}

/** The facts of our own WSDL. */
function ourFacts(service: NamedService): Facts {
  const text = renderWsdl({ ...service, address: `http://localhost${service.contract.path}` });
  const roots = [parse(new TextEncoder().encode(text), undefined, "Our WSDL")];
  const definitions = new Definitions({ name: "Our WSDL", roots, failedImports: [] });
  const known = new Set(namesOf(service.contract));
  return new FactReader(definitions, known).readService(service.contract).facts;
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
    for (const name of new Set([...old.inside.keys(), ...ours.inside.keys()])) {
      const [theirs, mine] = [old.inside.get(name), ours.inside.get(name)];
      const below = [...path, name];
      if (theirs !== undefined && mine !== undefined) this.compare(below, theirs, mine);
      else
        this.add(below, kinds[path.length] ?? "part", describe(name, theirs), describe(name, mine));
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
      ...{ fix: null, ...impactOf(change, this.#service) },
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
