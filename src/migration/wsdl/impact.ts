import type { WsdlNode } from "./parts.ts";

/** Whether clients of the old server notice a difference, and why or when, in a sentence. */
export interface Impact {
  readonly clients: "yes" | "only when" | "no";
  readonly reason: string;
}

/** What an impact depends on. */
export interface Subject {
  /** Null where one of the two has nothing of the kind. */
  readonly old: string | null;
  readonly ours: string | null;
  readonly isRequest: boolean;
  /** The contract has the part, and a request without it is refused. */
  readonly isRequired: boolean;
  /** The service responds as WCF: all parts of a result are always sent, and the result is never nil (decision 0016). */
  readonly isWcf: boolean;
  /** The part is the result itself. */
  readonly isResult: boolean;
  /** In requests, nil is read as absent. */
  readonly takesNil: boolean;
}

const yes = (reason: string): Impact => ({ clients: "yes", reason });
const no = (reason: string): Impact => ({ clients: "no", reason });
const onlyWhen = (reason: string): Impact => ({ clients: "only when", reason });

const chosenByName = onlyWhen("a client reads the WSDL at run time and chooses by this name.");
const newClasses = no("Only classes that are generated anew have another name.");
const refused = yes("The server refuses calls with another one.");

/** Impacts by the fact, or the kind of node, that differs. */
const impacts: Readonly<Record<string, (subject: Subject) => Impact>> = {
  port: ({ old }) =>
    old === null
      ? no("Clients of the old server do not use it.")
      : yes("Calls fail: this server does not offer it for this service."),
  operation: ({ old }) =>
    old === null
      ? no("Clients of the old server do not call it.")
      : yes("Calls are refused: this server has no such operation."),
  message: () => onlyWhen("a client does not expect a response, or none."),
  part: partImpact,
  "service name": () => chosenByName,
  "port name": () => chosenByName,
  policy: ({ old }) => policyImpact(old ?? ""),
  "SOAP action": () => refused,
  path: () => refused,
  form: ({ isRequest }) =>
    isRequest ? refused : yes("Clients expect a response in another form."),
  "WS-Addressing action": () => onlyWhen("a client sends it, or checks that of a response."),
  style: () => yes("Messages are written in another way; their parts were not compared."),
  fault: () => onlyWhen("a client handles this fault, which this server never sends."),
  "SOAP header": () => onlyWhen("a client needs it: this server neither reads nor sends it."),
  "element name": () => yes("Neither side finds an element of another name."),
  namespace: () => yes("Neither side finds an element in another namespace."),
  type: typeImpact,
  "type name": () => newClasses,
  minOccurs: ({ old, ours, isRequest, isRequired, isWcf }) => {
    if (!isRequest) {
      return isWcf || Number(ours) >= Number(old)
        ? no("This server sends it at least as often as clients expect.")
        : onlyWhen("it is absent, for example because nothing was found.");
    }
    return isRequired && old === "0"
      ? onlyWhen("a client omits it: the call is refused.")
      : no("Clients send what this server needs.");
  },
  maxOccurs: ({ old, ours, isRequest }) => {
    if (!isRequest) return no("Clients read a list of one, or the one of a list.");
    return ours === "1"
      ? onlyWhen(`a client sends more than one (up to ${old}): the first counts.`)
      : no("This server takes more.");
  },
  nillable: ({ ours, isRequest, isWcf, isResult, takesNil }) => {
    if (isRequest) {
      return ours === "true" || takesNil
        ? no("This server reads nil as absent.")
        : onlyWhen("a client sends xsi:nil: the call is refused.");
    }
    return ours !== "true" || (isWcf && isResult)
      ? no("This server never sends xsi:nil here.")
      : onlyWhen("a client does not read xsi:nil as null.");
  },
  enumeration: ({ isRequest }) =>
    isRequest ? no("This server takes these values too.") : onlyWhen("a value is not in the list."),
  restriction: ({ isRequest }) =>
    isRequest
      ? no("This server takes these values too.")
      : onlyWhen("a client checks it, and a value breaks it."),
  "content model": ({ old, isRequest }) =>
    isRequest || old !== "choice"
      ? no("The parts are the same in any order.")
      : onlyWhen("a client expects one of the parts: this server sends several."),
  "element order": ({ isRequest }) =>
    isRequest
      ? no("This server reads parts in any order.")
      : yes("Clients that read in order, such as those of WCF, lose parts."),
};

/** The impact of a difference in a fact, or of a node that only one of the two has. */
export function impactOf(what: string | WsdlNode["kind"], subject: Subject): Impact {
  return impacts[what]?.(subject) ?? onlyWhen("a client depends on it.");
}

function partImpact({ old, isRequest, isRequired }: Subject): Impact {
  if (isRequest && old !== null) return onlyWhen("a client sends it: this server ignores it.");
  if (isRequest) {
    return isRequired
      ? yes("Clients do not send it: the call is refused.")
      : no("This server does without it.");
  }
  return old === null
    ? onlyWhen("a client refuses elements that it does not know; most ignore them.")
    : yes("This server never sends it.");
}

/** What the policies of WCF ask of clients. */
function policyImpact(assertions: string): Impact {
  const rest = assertions
    .split(", ")
    .filter((name) => name !== "UsingAddressing" && name !== "TransportBinding");
  if (rest.length === 0) return no("HTTPS and WS-Addressing go on working.");
  if (rest.every((name) => /Authentication$/.test(name))) {
    return onlyWhen("clients log in over HTTP: the proxy has to provide that.");
  }
  return yes("This server reads plain SOAP as text: no WS-Security, binary XML or MTOM.");
}

/** Whole numbers: whether they may be negative, and their bits without the sign. */
const wholeNumbers: Readonly<Record<string, readonly [isSigned: boolean, bits: number]>> = {
  byte: [true, 7],
  unsignedByte: [false, 8],
  short: [true, 15],
  unsignedShort: [false, 16],
  int: [true, 31],
  unsignedInt: [false, 32],
  long: [true, 63],
  unsignedLong: [false, 64],
  integer: [true, Number.POSITIVE_INFINITY],
  decimal: [true, Number.POSITIVE_INFINITY],
};
const text = /^(?:string|normalizedString|token|anyURI|anyType|anySimpleType)$/;

function typeImpact({ old, ours, isRequest }: Subject): Impact {
  const [sent, read] = (isRequest ? [old, ours] : [ours, old]).map((type) => type ?? "") as [
    string,
    string,
  ];
  const [from, into] = [wholeNumbers[sent], wholeNumbers[read]];
  const areNumbers = from !== undefined && into !== undefined;
  const fits = areNumbers && from[1] <= into[1] && (into[0] || !from[0]);
  const isElement = / /.test(sent) || / /.test(read);
  if (!isElement && (fits || text.test(read))) return no(`Every ${sent} can be read as ${read}.`);
  return areNumbers || (isRequest && text.test(sent))
    ? onlyWhen(`a value is not a valid ${read}.`)
    : yes(`${sent} cannot be read as ${read}.`);
}
