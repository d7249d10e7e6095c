import type { NamedService } from "../../contract/action.ts";

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

/** Something that an old WSDL and ours say differently. */
export interface Difference {
  /** Null for one of the whole service. */
  readonly operation: string | null;
  /** `request` or `response`. */
  readonly message: string | null;
  /** Path of the part, such as `State/Country`; null for one of the whole message. */
  readonly part: string | null;
  /** The fact, or the kind of what only one of the two has. */
  readonly what: string;
  /** Null where one of the two has nothing of the kind. */
  readonly old: string | null;
  readonly ours: string | null;
  /** Whether clients of the old server notice it. */
  readonly clients: "yes" | "only when" | "no";
  /** Why or when, in a sentence. */
  readonly reason: string;
  /** The setting that removes it, to be pasted; null without one. */
  readonly fix: string | null;
  /** Such as `SOAP 1.1`. */
  readonly bindings: readonly string[];
}

type Impact = Pick<Difference, "clients" | "reason" | "fix">;
type Change = Omit<Difference, keyof Impact | "bindings">;

/** A change with what its impact depends on. */
interface Subject extends Change {
  readonly setting: ComparedService["setting"];
  readonly isRequest: boolean;
  /** The contract has the part, and a request without it is refused. */
  readonly isRequired: boolean;
  /** In requests, nil is read as absent. */
  readonly takesNil: boolean;
  /** The service responds as WCF: all parts of a result are always sent, and the result is never nil (decision 0016). */
  readonly isWcf: boolean;
}

/** The impact of a change, by the table below. */
export function impactOf(change: Change, { contract, setting }: ComparedService): Impact {
  const operations = new Map(Object.entries(contract.operations));
  const operation = operations.get(change.operation ?? "");
  const input = new Map(Object.entries(operation?.input ?? {})).get(change.part ?? "");
  const isRequest = change.message === "request";
  const subject = {
    ...change,
    setting,
    isRequest,
    isRequired: isRequest && input !== undefined && input.optional !== true,
    takesNil: operation?.nilIsAbsent === true,
    isWcf: contract.stack === "wcf",
  };
  return impacts[change.what]?.(subject) ?? onlyWhen("a client depends on it.");
}

const yes = (reason: string): Impact => ({ clients: "yes", reason, fix: null });
const no = (reason: string): Impact => ({ clients: "no", reason, fix: null });
const onlyWhen = (reason: string): Impact => ({ clients: "only when", reason, fix: null });

const refused = yes("The server refuses calls with another one.");

/** Impacts by the fact that differs, or the kind of what only one of the two has. */
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
  "service name": nameImpact,
  "port name": nameImpact,
  policy: ({ old }) => {
    const asserted = old?.match(/\b(?!(?:TransportBinding|UsingAddressing)\b)\w+/g) ?? [];
    if (asserted.length === 0) return no("HTTPS and WS-Addressing go on working.");
    return asserted.every((name) => /Authentication$/.test(name))
      ? onlyWhen("clients log in over HTTP: the proxy has to provide that.")
      : yes("This server reads plain SOAP as text: no WS-Security, binary XML or MTOM.");
  },
  "SOAP action": () => refused,
  path: () => refused,
  form: ({ isRequest }) =>
    isRequest ? refused : yes("Clients expect a response in another form."),
  "WS-Addressing action": () => onlyWhen("a client sends it, or checks that of a response."),
  style: () => yes("Messages are written in another way; their parts were not compared."),
  fault: () => onlyWhen("a client handles this fault, which this server never sends."),
  "SOAP header": () => onlyWhen("a client needs it: this server neither reads nor sends it."),
  "element name": () => yes("Neither side finds an element of another name."),
  namespace: namespaceImpact,
  type: typeImpact,
  "type name": () => no("Only classes that are generated anew have another name."),
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
  maxOccurs: ({ ours, isRequest }) => {
    if (!isRequest) return no("Clients read a list of one, or the one of a list.");
    return ours === "1"
      ? onlyWhen("a client sends more than one: the first counts.")
      : no("This server takes more.");
  },
  nillable: ({ ours, isRequest, isWcf, part, takesNil }) => {
    if (isRequest) {
      return ours === "true" || takesNil
        ? no("This server reads nil as absent.")
        : onlyWhen("a client sends xsi:nil: the call is refused.");
    }
    return ours !== "true" || (isWcf && part?.includes("/") === false)
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

/** WCF may have several ports for a binding. */
function nameImpact({ old, ours }: Subject): Impact {
  return old?.split(", ").includes(ours ?? "")
    ? no("One of the names is the same.")
    : onlyWhen("a client reads the WSDL at run time and chooses by this name.");
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

/** The namespace of the whole service can be set. */
function namespaceImpact({ operation, old, setting }: Subject): Impact {
  if (operation !== null) return yes("Neither side finds an element in another namespace.");
  const reason = "Elements and SOAP actions have it.";
  const { variable, allowed, parse } = setting;
  try {
    parse(old ?? "");
    return { ...yes(reason), fix: `${variable}='${old}'` };
  } catch {
    return yes(`${reason} ${variable} must be ${allowed}.`);
  }
}

/** Each signed one can have all values of those before it. */
const wholeNumbers =
  "byte unsignedByte short unsignedShort int unsignedInt long unsignedLong integer decimal";
const text = /^(?:string|normalizedString|token|anyURI|anyType|anySimpleType)$/;

function typeImpact({ old, ours, isRequest }: Subject): Impact {
  const [theirs, own] = [old ?? "another type", ours ?? "another type"];
  const [sent, read] = isRequest ? [theirs, own] : [own, theirs];
  const numbers = wholeNumbers.split(" ");
  const areNumbers = numbers.includes(sent) && numbers.includes(read);
  const isWider =
    areNumbers && numbers.indexOf(sent) < numbers.indexOf(read) && !read.startsWith("unsigned");
  // An element with parts is no text.
  if (!sent.includes(" ") && (isWider || text.test(read))) {
    return no(`Every ${sent} can be read as ${read}.`);
  }
  return areNumbers || (isRequest && text.test(sent))
    ? onlyWhen(`a value is not a valid ${read}.`)
    : yes(`${sent} cannot be read as ${read}.`);
}
