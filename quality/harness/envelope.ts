import { soap11Version, soap12Version } from "@wfh/server/bindings/soap/versions.ts";
import { actionOf } from "@wfh/server/contract/action.ts";
import { bindings as facts } from "@wfh/server/contract/bindings.ts";
import { endpoint, location, type Target } from "./declared-responses.ts";

/** A service over one version of SOAP, with an operation whose part is a text. */
export interface Seam {
  readonly target: Target;
  readonly binding: "soap11" | "soap12";
  readonly envelopeNamespace: string;
  readonly operation: string;
  /** A part of the operation that takes any text. */
  readonly part: string;
}

const calls = [
  { target: location, operation: "PostalCodeToCityState", part: "postalCode" },
  { target: endpoint, operation: "LogPageRequestAsync", part: "pageRequestUrl" },
];

/** Both services over both versions of SOAP. */
export const seams: readonly Seam[] = calls.flatMap((call) =>
  [soap11Version, soap12Version].map(({ binding, envelopeNamespace }) => ({
    ...call,
    binding,
    envelopeNamespace,
  })),
);

/** Places of an envelope into which an attack writes. */
interface EnvelopeOptions {
  /** Before the root element. */
  readonly prologue?: string;
  /** Attributes of the root element, each with a blank before. */
  readonly attributes?: string;
  /** Before the Body. */
  readonly header?: string;
  /** In the element of the operation. */
  readonly content?: string;
}

/** An envelope with a call; by default the one of a well-behaved client. */
export function envelopeOf(seam: Seam, parts: EnvelopeOptions = {}): string {
  const { target, envelopeNamespace, operation, part } = seam;
  const {
    prologue = "",
    attributes = "",
    header = "",
    content = `<${part}>10001</${part}>`,
  } = parts;
  const call = `<${operation} xmlns="${target.service.namespace}">${content}</${operation}>`;
  return `${prologue}<e:Envelope xmlns:e="${envelopeNamespace}"${attributes}>${header}<e:Body>${call}</e:Body></e:Envelope>`;
}

/** An envelope whose text part holds what is given, as it is. */
export function envelopeAround(seam: Seam, text: string): string {
  return envelopeOf(seam, { content: `<${seam.part}>${text}</${seam.part}>` });
}

/** The header fields that say what kind of envelope a body is. */
function fieldsOf({ target, binding, operation }: Seam, parameters: string): string {
  const action = actionOf(target.service, operation);
  const type = facts[binding].requestMediaType;
  return binding === "soap11"
    ? `Content-Type: ${type}${parameters}\r\nSOAPAction: "${action}"\r\n`
    : `Content-Type: ${type}${parameters}; action="${action}"\r\n`;
}

/** A POST of an envelope that asks for the connection to be closed, as bytes. */
export function postOf(seam: Seam, body: string | Uint8Array, parameters = ""): Uint8Array {
  const { path } = seam.target.service.contract;
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${fieldsOf(seam, parameters)}`;
  return Buffer.concat([
    Buffer.from(`${head}Content-Length: ${bytes.length}\r\n\r\n`, "latin1"),
    bytes,
  ]);
}
