import type { BindingName } from "./bindings.ts";

/** Scalar types of the contract, by their XML Schema names. */
export type ScalarName = "string" | "int" | "long" | "double" | "boolean" | "dateTime";

/** One child element of a message or of a shape. */
export interface Part {
  readonly type: ScalarName | Shape;
  /** May be absent; an absent part is null in TypeScript. */
  readonly optional?: boolean;
  /** May be sent as nil; a nil part is null in TypeScript. */
  readonly nillable?: boolean;
  /** Bindings that always carry the part as nil, whatever its value (contract §2.2). */
  readonly nilOver?: readonly BindingName[];
  /** Comes any number of times, in order: an array. Only REST has such parts. */
  readonly list?: true;
  /** Fewest and most items of a list. */
  readonly items?: readonly [min: number, max: number];
  /** Parts that each item of a list must have, even if they are optional elsewhere. */
  readonly itemsNeed?: readonly string[];
  /** Another part that must be given wherever this one is. */
  readonly needs?: string;
  /** Left out of recordings (decision 0079): the value, or what is secret within an address. */
  readonly secret?: "value" | "in-address";
  /** Meaning of the part, in one sentence for people. */
  readonly meaning?: string;
  /** Form of a string, as a regular expression for the whole of it; checked by REST alone. */
  readonly pattern?: string;
  /** Words for the pattern that complete "must be". */
  readonly form?: string;
  /** Most characters of a string, of which each is one of Unicode; checked by REST alone. */
  readonly maxLength?: number;
  /** The only values of a string. */
  readonly values?: readonly string[];
}

/** A named complex type. The order of its parts is the order on the wire. */
export interface Shape {
  readonly name: string;
  readonly parts: Readonly<Record<string, Part>>;
}

/** The outcome of a call, in words for people. */
export interface OutcomeWords {
  /** Text after success; `{City}` and `{state.name}` are replaced by values of the result. */
  readonly done: string;
  /** Value that is present, and not `false`, after success; omitted for a void operation. */
  readonly decidedBy?: string;
  /** Text for every other call. */
  readonly notDone?: string;
  /** Value of the result that explains `notDone`. */
  readonly reason?: string;
  /** Text for each such value; without it the value is the text. */
  readonly reasons?: Readonly<Record<string, string>>;
}

/** Address of an operation in REST. */
export interface Resource {
  readonly method: "GET" | "POST";
  /**
   * Path below that of the service. A segment in braces is a part of the request; the other parts
   * of a GET are parameters of the query, those of a POST are members of the body.
   */
  readonly path: string;
  /** List whose items the body is, one or an array, in place of an object with the parts. */
  readonly body?: string;
  /**
   * List of the result whose items are the rows of a table. The request then has the part `format`,
   * with `csv` for the rows alone as CSV.
   */
  readonly table?: string;
  /** Depends on postal data and corrections alone, so that caches may keep a response. */
  readonly cacheable?: true;
  /** Has few results, the same objects while the postal data is served: their texts are kept. */
  readonly fewResults?: true;
  /** The group of operations that it is described in: one of the tags of the API. */
  readonly tag: string;
}

/** A named call. Without a result it is void: its response only says that it is done. */
export interface Operation {
  /** One sentence for people, shown on help pages. */
  readonly summary: string;
  /** Parts of the request, in wire order. */
  readonly input: Readonly<Record<string, Part>>;
  readonly result?: Shape;
  /**
   * May come as text/plain, which is all that `navigator.sendBeacon` can send across origins
   * without asking first. Only for an operation that acts on no credentials (decision 0017).
   */
  readonly beacon?: true;
  /** Over SOAP any part may be nil, that is absent: WCF with only simple types (decision 0049). */
  readonly nilIsAbsent?: true;
  /**
   * Acts on passwords or cookies, so that no cache may store its responses. Pages of other origins
   * may call only where their origin is listed for a form (decision 0025).
   */
  readonly credentials?: true;
  /** Needs a token of an analyst in the header Authorization (RFC 6750). Only for REST. */
  readonly token?: true;
  /** Its address over REST. */
  readonly resource?: Resource;
  /** Origins of other sites that may call, where they are not those of the whole service. */
  readonly callers?: ServiceContract["callers"];
  /** Words of help pages for the outcome of a call. */
  readonly outcome?: OutcomeWords;
  /** Effect of each call on the server, in one sentence for people. */
  readonly effect?: string;
  /** Put there by {@link withExample}. */
  readonly example?: Example;
}

/** A call that succeeds, for people to see and to repeat. */
export interface Example {
  /** Values of the request's parts; null for a part that is not sent. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Undefined for a void operation. */
  readonly result?: unknown;
}

/** The server software whose wire a service keeps: its clients were written against it. */
export type Stack = "asmx" | "wcf";

/** A set of operations under one address. */
export interface ServiceContract {
  readonly name: string;
  readonly stack: Stack;
  /** Stands between the namespace and the operation in an action of WCF. */
  readonly interfaceName?: string;
  /** Which origins may call from pages of other sites: any, or only those that are listed. */
  readonly callers: "any" | "listed";
  /** Path of the service; letters match in any case. */
  readonly path: string;
  /** One sentence for people, shown on help pages. */
  readonly summary: string;
  readonly bindings: readonly BindingName[];
  readonly operations: Readonly<Record<string, Operation>>;
}

/** A set of operations as resources below one path. */
export interface RestApi extends Pick<ServiceContract, "name" | "callers" | "path" | "summary"> {
  /** Groups of operations for descriptions, with one sentence each. */
  readonly tags: Readonly<Record<string, string>>;
  readonly operations: Readonly<Record<string, Operation & { readonly resource: Resource }>>;
}

/** The value of a dateTime. */
export interface DateTime {
  /** As it was sent. */
  readonly text: string;
  /** Its instant in milliseconds since 1970 UTC; null without a zone. */
  readonly instantMs: number | null;
}

interface ScalarValues {
  readonly string: string;
  readonly int: number;
  readonly long: bigint;
  readonly double: number;
  readonly boolean: boolean;
  readonly dateTime: DateTime;
}

type Flag<Of extends Part, Name extends "optional" | "nillable"> =
  Of extends Readonly<Record<Name, true>> ? null : never;

type ItemOf<Of extends Part> = Of extends { readonly values: readonly (infer Value)[] }
  ? Value
  : Of["type"] extends Shape
    ? ShapeValue<Of["type"]>
    : Of["type"] extends ScalarName
      ? ScalarValues[Of["type"]]
      : never;

type ValueOf<Of extends Part> =
  | (Of extends { readonly list: true } ? readonly ItemOf<Of>[] : ItemOf<Of>)
  | Flag<Of, "optional">
  | Flag<Of, "nillable">;

/** The TypeScript value of a shape. */
export type ShapeValue<Of extends Shape> = {
  readonly [Name in keyof Of["parts"]]: ValueOf<Of["parts"][Name]>;
};

/** The TypeScript value of an operation's request. */
export type InputOf<Of extends Operation> = {
  readonly [Name in keyof Of["input"]]: ValueOf<Of["input"][Name]>;
};

/** Return value of an operation: its result, null if nothing was found, undefined if void. */
export type ResultOf<Of extends Operation> = Of extends {
  readonly result: infer Result extends Shape;
}
  ? ShapeValue<Result> | null
  : undefined;

type ExampleOf<Of extends Operation> = {
  readonly input: InputOf<Of>;
} & (Of extends { readonly result: infer Result extends Shape }
  ? { readonly result: ShapeValue<Result> }
  : { readonly result?: never });

/** Adds an example to an operation; values that do not fit the operation do not compile. */
export function withExample<const Of extends Operation>(
  operation: Of,
  example: ExampleOf<NoInfer<Of>>,
): Of & { readonly example: ExampleOf<Of> } {
  return { ...operation, example };
}
