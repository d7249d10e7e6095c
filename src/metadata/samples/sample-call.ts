import { compileJsonObject } from "../../codec/json/writer.ts";
import type { Scalar } from "../../codec/scalars.ts";
import type { Operation, Part, ScalarName, Shape, ShapeValue } from "../../contract/operation.ts";
import { type DescribedService, operationsOf } from "../described-service.ts";

/** Show the name of each type, or the values of the contract's example. */
export type SampleValues = "placeholders" | "example";

/** One call of an operation with its values. */
export interface SampleCall {
  readonly service: DescribedService;
  readonly name: string;
  readonly operation: Operation;
  /** The parts that are sent, in wire order, as a shape with the operation's name. */
  readonly request: Shape;
  readonly input: ShapeValue<Shape>;
  /** Undefined for a void operation. */
  readonly result: ShapeValue<Shape> | undefined;
}

/** A part of a request that is sent. */
export interface SentPart {
  readonly name: string;
  readonly type: ScalarName;
  /** Its value as in XML and forms; a 64-bit ID keeps all its digits. */
  readonly text: string;
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
  const { input, result } =
    values === "example" ? exampleOf(name, operation) : placeholdersOf(operation);
  const sent = Object.entries(operation.input).filter(([part]) => (input[part] ?? null) !== null);
  return {
    service,
    name,
    operation,
    request: { name, parts: Object.fromEntries(sent) },
    input,
    result,
  };
}

/** JSON of a request on one line; longs have all their digits. */
export function requestJson({ request, input }: SampleCall): string {
  return compileJsonObject(request, "json")(input);
}

/** The parts that a call sends. */
export function sentParts({ request, input }: SampleCall): readonly SentPart[] {
  const values: Readonly<Record<string, unknown>> = input;
  return Object.entries(request.parts).map(([name, { type }]) => {
    if (typeof type !== "string") throw new TypeError(`Part ${name} of a request is not a scalar`);
    const value = values[name] as Scalar;
    return { name, type, text: typeof value === "object" ? value.text : String(value) };
  });
}

type Values = Pick<SampleCall, "input" | "result">;

function exampleOf(name: string, { example }: Operation): Values {
  if (example === undefined) throw new RangeError(`Operation ${name} has no example`);
  // What it was made with is held to its operation by the compiler (withExample).
  return example as Values;
}

function placeholdersOf({ input, result }: Operation): Values {
  return { input: fill(input), result: result && fill(result.parts) };
}

/** Placeholders for the parts of a shape. */
function fill(parts: Shape["parts"]): ShapeValue<Shape> {
  const members = Object.entries(parts).map(([name, { type }]) => [name, placeholderOf(type)]);
  return Object.fromEntries(members) as ShapeValue<Shape>;
}

function placeholderOf(type: Part["type"]): unknown {
  if (typeof type !== "string") return fill(type.parts);
  return type === "dateTime" ? { text: type, instantMs: null } : type;
}
