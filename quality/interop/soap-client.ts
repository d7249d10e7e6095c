/** A way to carry calls, by its name for people. */
export type BindingTitle = "SOAP 1.1" | "SOAP 1.2" | "HTTP GET" | "HTTP POST";

/** Documents to make clients from: ours, and copies with mistakes (see `interop-server.ts`). */
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
  /** Values beyond 32 bits and dateTimes are given as text. */
  readonly parts: Readonly<Record<string, string | number | boolean>>;
  /** True when the client sends the cookie that it received last. */
  readonly sendsCookie: boolean;
}

/** Outcome of a call. */
export interface SoapOutcome {
  /** Media type of the response, without parameters; null or empty without one. */
  readonly mediaType: string | null;
  /** The result as the client gives it to its user, by names of members; null without one. */
  readonly result: unknown;
  /** Fault that the client raises; over HTTP the status and the text. */
  readonly fault: { readonly code: string; readonly text: string } | null;
  /** Any other error; null without one. */
  readonly error: string | null;
}

/** Task of one process of a client. */
export interface SoapTask {
  readonly binding: BindingTitle;
  readonly wsdls: Wsdls;
  /** File with the certificate to trust, PEM; null where the server has none. */
  readonly authority: string | null;
  readonly calls: readonly SoapCall[];
}

/** Values of the contract as a client shows them. */
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
  /** Its own use of cookies; ours are for HTTPS, or for plain HTTP in spite of that. */
  readonly cookies: "not sent" | "sent over HTTPS" | "sent";
  run(task: SoapTask): Promise<readonly SoapOutcome[]>;
}
