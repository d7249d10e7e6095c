import type { Scalar } from "../../codec/scalars.ts";
import type { Example, Operation, Part, Shape } from "../../contract/operation.ts";
import { type DescribedService, operationsOf } from "../described-service.ts";
import type { SentPart } from "./request.ts";

/** Show the name of each type, or the values of the contract's example. */
export type SampleValues = "placeholders" | "example";

/** One call of an operation with its values. */
export interface SampleCall {
  readonly service: DescribedService;
  readonly name: string;
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
export function sampleCall(
  service: DescribedService,
  name: string,
  values: SampleValues,
): SampleCall {
  const operation = operationsOf(service).find(([known]) => known === name)?.[1];
  if (operation === undefined) {
    throw new RangeError(`${service.contract.name} has no operation ${name}`);
  }
  if (values === "placeholders") {
    return { service, name, operation, ...placeholdersOf(operation) };
  }
  const { example } = operation;
  if (example === undefined) throw new RangeError(`Operation ${name} has no example`);
  // The compiler holds an example to its operation (withExample).
  const { input, result } = example;
  return { service, name, operation, sent: toSent(operation, input), result };
}

/** Values as they are sent, without those that are null. */
function toSent({ input: parts }: Operation, values: Example["input"]): readonly SentPart[] {
  return Object.entries(parts).flatMap(([name, { type }]) => {
    if (typeof type !== "string") throw new TypeError(`Part ${name} of a request is not a scalar`);
    const value = (values[name] ?? null) as Scalar | null;
    if (value === null) return [];
    return [{ name, type, text: typeof value === "object" ? value.text : String(value) }];
  });
}

function placeholdersOf(operation: Operation): Pick<SampleCall, "sent" | "result"> {
  const { input, result } = operation;
  return { sent: toSent(operation, fill(input)), result: result && fill(result.parts) };
}

/** Placeholders for the parts of a request or a shape. */
function fill(parts: Shape["parts"]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(parts).map(([name, { type }]) => [name, placeholderOf(type)]),
  );
}

function placeholderOf(type: Part["type"]): unknown {
  if (typeof type !== "string") return fill(type.parts);
  return type === "dateTime" ? { text: type, instantMs: null } : type;
}
