import {
  headerOf,
  type MediaType,
  readMediaType,
  readSpelledTarget,
} from "@wfh/server/bindings/http.ts";
import { decodeXml } from "@wfh/server/codec/decode-text.ts";
import { unescapePercent } from "@wfh/server/codec/form/fields.ts";
import { createXmlReader } from "@wfh/server/codec/xml/reader.ts";
import type { BindingName } from "@wfh/server/contract/bindings.ts";
import type { ServiceContract } from "@wfh/server/contract/operation.ts";

/** A request line with its headers, as they came. */
export interface RequestHead {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  /** Names and values in turn, as sent. */
  readonly headers: readonly string[];
}

/** Service, operation and binding of a request. */
export interface Recognized {
  readonly service: string;
  /** Null for a document such as a WSDL, and for an operation that the service does not have. */
  readonly operation: string | null;
  readonly binding: BindingName | null;
}

/** Recognizes a request to a service. The body matters only to SOAP without an action. */
export type Recognize = (head: RequestHead, body?: Uint8Array) => Recognized | undefined;

/** A service with the paths at which an old server has it, beside that of the contract. */
export interface RecordedService {
  readonly contract: ServiceContract;
  readonly paths: readonly string[];
}

/**
 * Compiles the recognition of requests to services, in any namespace: by the path in any spelling,
 * then the operation below it, the last segment of the SOAP action, or the Body's first element.
 */
export function compileRecognizer(services: readonly RecordedService[]): Recognize {
  const addresses = services.flatMap(({ contract, paths }) =>
    [contract.path, ...paths].map((path) => ({ contract, path: `/${path.replace(/^\//, "")}` })),
  );
  const readXml = createXmlReader();
  return (head, body) => {
    // A client that takes the recorder for a proxy sends the whole address.
    const path = head.target.replace(/^https?:\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "");
    for (const { contract, path: servicePath } of addresses) {
      const target = readSpelledTarget(path, servicePath);
      if (target === undefined) continue;
      const named = target.at === "operation" ? target.operation : undefined;
      return { service: contract.name, ...recognizeCall(contract, named, head, body) };
    }
    return undefined;
  };

  function recognizeCall(
    contract: ServiceContract,
    named: string | undefined,
    head: RequestHead,
    body: Uint8Array | undefined,
  ): Pick<Recognized, "operation" | "binding"> {
    const mediaType = readMediaType(headerOf(head, "content-type") ?? "");
    const binding = bindingOf(contract, head.method, named === undefined, mediaType);
    if (named !== undefined) return { operation: findOperation(contract, named), binding };
    if (binding === null) return { operation: null, binding };
    const soapAction = headerOf(head, "soapaction")?.trim().replace(/^"|"$/g, "");
    const action = unescapePercent((binding === "soap11" ? soapAction : mediaType.action) ?? "");
    const stated = findOperation(contract, action.slice(action.lastIndexOf("/") + 1));
    return {
      operation: stated ?? findOperation(contract, firstElement(body, mediaType) ?? ""),
      binding,
    };
  }

  function firstElement(body: Uint8Array | undefined, { charset }: MediaType): string | undefined {
    if (body === undefined || body.length === 0) return undefined;
    try {
      const envelope = readXml(decodeXml(body, charset));
      return envelope.children.find(({ name }) => name === "Body")?.children[0]?.name;
    } catch {
      return undefined;
    }
  }
}

function bindingOf(
  { bindings }: ServiceContract,
  method: string,
  isAtService: boolean,
  { name }: MediaType,
): BindingName | null {
  const binding = isAtService ? soapBinding(method, name) : operationBinding(method, name);
  return binding !== null && bindings.includes(binding) ? binding : null;
}

function soapBinding(method: string, mediaType: string): BindingName | null {
  if (method !== "POST") return null;
  return mediaType === "application/soap+xml" ? "soap12" : "soap11";
}

function operationBinding(method: string, mediaType: string): BindingName | null {
  if (method === "GET") return "http-get";
  if (method !== "POST") return null;
  // A beacon is sent as text/plain (decision 0017).
  return /^(?:application\/json|text\/plain)$/.test(mediaType) ? "json" : "http-post";
}

/** By its name in any case, so that a misspelled call is compared under its own operation. */
function findOperation({ operations }: ServiceContract, name: string): string | null {
  const lower = name.toLowerCase();
  return Object.keys(operations).find((one) => one.toLowerCase() === lower) ?? null;
}
