/** A way to carry calls, by its name for people. */
export type BindingTitle = "SOAP 1.1" | "SOAP 1.2" | "HTTP GET" | "HTTP POST";

/** Documents that clients are made from: ours, and copies with mistakes in them (see `interop-server.ts`). */
export const wsdlNames = ["location", "endpoint", "changedLocation", "changedEndpoint"] as const;
/** Name of one of them. */
export type WsdlName = (typeof wsdlNames)[number];
/** Their addresses, or names of files. */
export type Wsdls = Readonly<Record<WsdlName, string>>;

/** One call among several that a client makes, in their order. */
export interface SoapCall {
  /** Which client makes it: there is one for each document. */
  readonly wsdl: WsdlName;
  readonly operation: string;
  /** What does not fit in 32 bits is given as text, as is a dateTime. */
  readonly parts: Readonly<Record<string, string | number | boolean>>;
  /** Whether the client sends the cookie that it received last. */
  readonly sendsCookie: boolean;
}

/** What came of a call. */
export interface SoapOutcome {
  /** Media type of the response, without parameters; null or empty without one. */
  readonly mediaType: string | null;
  /** The result as the client gives it to its user, by names of members; null without one. */
  readonly result: unknown;
  /** What the client raises when the server returns a fault; over HTTP the status and the text. */
  readonly fault: { readonly code: string; readonly text: string } | null;
  /** What else went wrong; null where nothing did. */
  readonly error: string | null;
}

/** What one process of a client is to do. */
export interface SoapTask {
  readonly binding: BindingTitle;
  readonly wsdls: Wsdls;
  /** File with the certificate to trust, PEM; null where the server has none. */
  readonly authority: string | null;
  readonly calls: readonly SoapCall[];
}

/** What a client makes of the values of the contract. */
export interface Shown {
  int(value: number): unknown;
  long(value: bigint): unknown;
  boolean(value: boolean): unknown;
  /** A string that is nil; undefined where the member is left out. */
  readonly nilText: null | undefined;
  /** A shape that is nil. */
  nilShape(members: readonly string[]): unknown;
}

/** A SOAP client of another project. */
export interface SoapClient {
  readonly name: string;
  readonly bindings: readonly BindingTitle[];
  /** Why it cannot be asked here, and how to install it; false where it can. */
  readonly missing: string | false;
  readonly shown: Shown;
  /** What it does with cookies of itself; ours are for HTTPS, or for plain HTTP in spite of that. */
  readonly cookies: "not sent" | "sent over HTTPS" | "sent";
  run(task: SoapTask): Promise<readonly SoapOutcome[]>;
}
