import type { Scalar } from "../../codec/scalars.ts";
import type { Example, Operation, Shape } from "../../contract/operation.ts";
import { type Described, operationsOf, requestPartsOf } from "../described-service.ts";
import type { SentPart } from "./request.ts";

/** Show the name of each type, or the values of the contract's example. */
export type SampleValues = "placeholders" | "example";

/** One call of an operation with its values. */
export interface SampleCall {
  readonly operation: Operation;
  /** The parts that are sent, in wire order. */
  readonly sent: readonly SentPart[];
  /** Undefined for a void operation. */
  readonly result: unknown;
}

/**
 * A call of an operation with values of one kind.
 *
 * @throws {RangeError} when the service has no such operation, or the operation no example.
 */
export function sampleCall(service: Described, name: string, values: SampleValues): SampleCall {
  const operation = operationsOf(service).find(([known]) => known === name)?.[1];
  if (operation === undefined) {
    throw new RangeError(`${service.contract.name} has no operation ${name}`);
  }
  const { parts, values: given } = requestPartsOf(operation);
  if (values === "placeholders") {
    const result = operation.result && placeholdersOf(operation.result.parts);
    return { operation, sent: toSent(parts, placeholdersOf(parts)), result };
  }
  if (given === undefined) throw new RangeError(`Operation ${name} has no example`);
  // The compiler holds an example to its operation (withExample).
  return { operation, sent: toSent(parts, given), result: operation.example?.result };
}

/** Values as they are sent, without those that are null. */
function toSent(parts: Shape["parts"], values: Example["input"]): readonly SentPart[] {
  return Object.entries(parts).flatMap(([name, { type }]) => {
    if (typeof type !== "string") throw new TypeError(`Part ${name} of a request is not a scalar`);
    const given = values[name] ?? [];
    const items = (Array.isArray(given) ? given : [given]) as readonly Scalar[];
    return items.map((value) => {
      const text = typeof value === "object" ? value.text : String(value);
      return { name, type, text };
    });
  });
}

/** Placeholders for the parts of a request or a shape. */
function placeholdersOf(parts: Shape["parts"]): Readonly<Record<string, unknown>> {
  const values = Object.entries(parts).map(([name, { type }]) => {
    if (typeof type !== "string") return [name, placeholdersOf(type.parts)];
    return [name, type === "dateTime" ? { text: type, instantMs: null } : type];
  });
  return Object.fromEntries(values);
}
