import type { NamedService } from "../../contract/action.ts";
import type { ServiceContract } from "../../contract/operation.ts";
import { renderWsdl } from "../../metadata/wsdl.ts";
import { Definitions, textAt } from "./definitions.ts";
import { parse, type WsdlDocuments } from "./documents.ts";
import { type Impact, impactOf, type Subject } from "./impact.ts";
import { operationsOf, type Port, readPorts } from "./model.ts";
import type { WsdlNode } from "./parts.ts";
import { WsdlError } from "./wsdl-error.ts";

/** Something that an old WSDL and ours say differently. */
export interface Difference extends Impact {
  /** Null for one of the whole service. */
  readonly operation: string | null;
  readonly message: string | null;
  /** Path of the part, such as `State/Country`; null for one of the whole message. */
  readonly part: string | null;
  readonly what: string;
  /** Null where one of the two has nothing of the kind. */
  readonly old: string | null;
  readonly ours: string | null;
  /** The setting that removes it, to be pasted; null without one. */
  readonly fix: string | null;
  /** Such as `SOAP 1.1`. */
  readonly bindings: readonly string[];
}

/** A service of this server, with the setting of its namespace. */
export interface ComparedService extends NamedService {
  readonly setting: {
    readonly variable: string;
    /** The allowed values, for people. */
    readonly allowed: string;
    /** Throws for a value that is not allowed. */
    readonly parse: (text: string) => unknown;
  };
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
  const portTypes = old.all("portType").map((one) => ({
    name: textAt(one, "name"),
    operations: operationsOf(one).map((each) => textAt(each, "name")),
  }));
  const found = services.filter(({ contract }) =>
    portTypes.some(({ operations }) => operations.some((name) => isOurs(name, contract))),
  );
  if (found.length === 0) {
    const others = portTypes.map(
      ({ name, operations }) => `${name} (${operations.slice(0, 5).join(", ")})`,
    );
    const expected = services.map(
      ({ contract }) => `${contract.name} (${Object.keys(contract.operations).join(", ")})`,
    );
    const what = `describes another service: ${others.slice(0, 3).join(", ")}`;
    const lines = [
      `${documents.name} ${others.length === 0 ? "has no operations" : what}.`,
      `Expected ${expected.join(" or ")}.`,
      ...documents.failedImports,
    ];
    throw new WsdlError(lines.join("\n"));
  }
  const isKnown = (name: string) => found.some(({ contract }) => isOurs(name, contract));
  const ports = readPorts(old, isKnown);
  const foreign = ports.filter(({ children }) => !children.some(({ name }) => isKnown(name)));
  return found.map((service, index) => {
    const own = ports.filter(({ children }) =>
      children.some(({ name }) => isOurs(name, service.contract)),
    );
    if (own.length > 0) return compareService(service, own, index === 0 ? foreign : []);
    throw new WsdlError(
      `${documents.name} has operations of ${service.contract.name}, but no address for them.\nA WSDL does not describe JSON. For SOAP, an import with the ports is missing.`,
    );
  });
}

/** Whether an operation is one of the contract. */
function isOurs(operation: string, { operations }: ServiceContract): boolean {
  return Object.hasOwn(operations, operation);
}

/** Compares the ports of a service. `foreign` are those of other services beside it. */
function compareService(
  service: ComparedService,
  ports: readonly Port[],
  foreign: readonly Port[],
): Comparison {
  const { contract, namespace: configured, setting } = service;
  const operations = ports.flatMap(({ children }) => children);
  const namespace =
    namespaceOf(operations.filter(({ name }) => isOurs(name, contract))) ?? configured;
  const report = new Report(service);
  if (namespace !== configured) report.addNamespace(namespace, configured, setting);
  const ours = ourPorts({ contract, namespace });
  for (const port of ports) {
    const mine = ours.find(({ name }) => name === port.name);
    if (mine === undefined) report.add([port], "port", port.name, null);
    else report.compare([], withNameOf(mine, port, ports), mine);
  }
  for (const port of ours) {
    if (!ports.some(({ name }) => name === port.name)) report.add([port], "port", null, port.name);
  }
  for (const port of foreign) {
    const shown = `${port.name} for ${port.portType}`;
    if (port.portType !== "IMetadataExchange") report.add([port], "port", shown, null);
  }
  return {
    service: contract.name,
    differences: report.sorted(),
    addresses: Object.fromEntries(ports.map(({ facts, address }) => [facts["port name"], address])),
    path: contract.path,
  };
}

/** A port, under our name where one of the old ports has that: WCF may have several ports for a binding. */
function withNameOf(ours: Port, port: Port, ports: readonly Port[]): Port {
  const { "port name": name = "" } = ours.facts;
  const isNamed = ports.some(({ facts }) => facts["port name"] === name);
  return isNamed ? { ...port, facts: { ...port.facts, "port name": name } } : port;
}

/** Namespace of the elements of requests; undefined over HTTP GET and POST, which have none. */
function namespaceOf(operations: readonly WsdlNode[]): string | undefined {
  const requests = operations.flatMap(({ children }) =>
    children.filter(({ name }) => name === "request"),
  );
  return requests.flatMap(({ facts }) => facts["namespace"] ?? [])[0];
}

function isAllowed(value: string, setting: ComparedService["setting"]): boolean {
  try {
    setting.parse(value);
    return true;
  } catch {
    return false;
  }
}

/** The ports of our own WSDL. */
function ourPorts(service: NamedService): readonly Port[] {
  const text = renderWsdl({ ...service, address: `http://localhost${service.contract.path}` });
  const roots = [parse(new TextEncoder().encode(text), undefined, "Our WSDL")];
  return readPorts(new Definitions({ name: "Our WSDL", roots, failedImports: [] }), () => true);
}

/** Collects the differences of one service. */
class Report {
  private readonly service: ComparedService;
  private readonly differences = new Map<string, Difference>();
  private readonly namespaces = new Set<string>();

  constructor(service: ComparedService) {
    this.service = service;
  }

  /** Compares a node with ours; the path leads to it from the port. */
  compare(above: readonly WsdlNode[], old: WsdlNode, ours: WsdlNode): void {
    const path = [...above, old];
    for (const what of new Set([...Object.keys(old.facts), ...Object.keys(ours.facts)])) {
      const [theirs, our] = [old.facts[what] ?? null, ours.facts[what] ?? null];
      const isKnown = what === "namespace" && theirs !== our && this.isKnown(path, theirs);
      if (theirs !== our && !isKnown) this.add(path, what, theirs, our);
    }
    const isOrdered = old.kind === "message" || old.kind === "part";
    const [order, ourOrder] = [common(old, ours), common(ours, old)];
    if (isOrdered && order !== ourOrder) this.add(path, "element order", order, ourOrder);
    // The parts of another style are other parts.
    if (old.facts["style"] === ours.facts["style"]) this.compareChildren(path, old, ours);
  }

  private compareChildren(path: readonly WsdlNode[], old: WsdlNode, ours: WsdlNode): void {
    for (const child of old.children) {
      const same = ours.children.find(({ name }) => name === child.name);
      if (same === undefined) this.add([...path, child], child.kind, describe(child), null);
      else this.compare(path, child, same);
    }
    for (const child of ours.children) {
      const isNew = !old.children.some(({ name }) => name === child.name);
      if (isNew) this.add([...path, child], child.kind, null, describe(child));
    }
  }

  /** Whether a part in that namespace was reported for the message: those of an unqualified schema differ as one. */
  private isKnown(path: readonly WsdlNode[], namespace: string | null): boolean {
    const [port, operation, message] = path.map(({ name }) => name);
    const key = JSON.stringify([port, operation, message, namespace]);
    const isKnown = this.namespaces.has(key);
    this.namespaces.add(key);
    return isKnown;
  }

  /** Adds a difference at the end of a path; the same one over another binding is joined with it. */
  add(path: readonly WsdlNode[], what: string, old: string | null, ours: string | null): void {
    const nameAt = (kind: WsdlNode["kind"]) =>
      path.find((node) => node.kind === kind)?.name ?? null;
    const parts = path.flatMap(({ kind, name }) => (kind === "part" ? name : []));
    const where = {
      operation: nameAt("operation"),
      message: nameAt("message"),
      part: parts.join("/") || null,
    };
    const impact = impactOf(what, { old, ours, ...this.subjectAt(where, parts) });
    const facts = { ...where, what, old, ours, ...impact, fix: null };
    this.join(facts, nameAt("port") ?? "");
  }

  addNamespace(old: string, ours: string, setting: ComparedService["setting"]): void {
    const { variable, allowed } = setting;
    const isFixed = isAllowed(old, setting);
    const limit = isFixed ? "" : ` ${variable} must be ${allowed}.`;
    const why = `Elements and SOAP actions have it.${limit}`;
    const fix = isFixed ? `${variable}='${old}'` : null;
    const where = { operation: null, message: null, part: null, what: "namespace" };
    this.join({ ...where, old, ours, clients: "yes", reason: why, fix }, "SOAP");
  }

  sorted(): readonly Difference[] {
    const rank = ({ clients }: Difference) => ["yes", "only when", "no"].indexOf(clients);
    return [...this.differences.values()].toSorted((one, other) => rank(one) - rank(other));
  }

  private join(facts: Omit<Difference, "bindings">, binding: string): void {
    const key = JSON.stringify(facts);
    const before = this.differences.get(key)?.bindings ?? [];
    this.differences.set(key, { ...facts, bindings: [...new Set([...before, binding])] });
  }

  private subjectAt(
    { operation, message }: Pick<Difference, "operation" | "message">,
    parts: readonly string[],
  ): Omit<Subject, "old" | "ours"> {
    const { operations, stack } = this.service.contract;
    const declared = Object.entries(operations).find(([name]) => name === operation)?.[1];
    const isRequest = message === "request";
    const part = declared?.input[parts[0] ?? ""];
    return {
      isRequest,
      isRequired: isRequest && part !== undefined && part.optional !== true,
      isWcf: stack === "wcf",
      isResult: parts.length === 1,
      takesNil: declared?.nilIsAbsent === true,
    };
  }
}

/** Names of the children of a node that another one has too, in order. */
function common({ children }: WsdlNode, other: WsdlNode): string {
  const isThere = (name: string) => other.children.some((child) => child.name === name);
  return children.flatMap(({ name }) => (isThere(name) ? name : [])).join(", ");
}

function describe({ name, facts }: WsdlNode): string {
  return facts["type"] === undefined ? name : `${name} (${facts["type name"] ?? facts["type"]})`;
}
