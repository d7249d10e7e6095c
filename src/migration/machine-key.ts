import { attributeOf, createXmlReader, type XmlElement, XmlError } from "../codec/xml/reader.ts";

/** A web.config whose keys cannot be used. The message is for the operator, and holds nothing of a key. */
export class MachineKeyError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "MachineKeyError";
  }
}

/** Far more than any web.config has. */
const readXml = createXmlReader({
  ...{ depth: 64, elements: 20_000, attributes: 60_000, marks: 120_000 },
  ...{ nameLength: 1_024, textLength: 262_144 },
});

const modes = {
  Framework20SP1: "Framework20",
  Framework20SP2: "Framework20",
  Framework45: "Framework45",
} as const;
const hashes = {
  SHA1: "sha1",
  HMACSHA256: "sha256",
  HMACSHA384: "sha384",
  HMACSHA512: "sha512",
} as const;
const ciphers = { Auto: "AES", AES: "AES", "3DES": "3DES" } as const;
/** Bytes of a decryptionKey. */
const keyBytes = { AES: [16, 24, 32], "3DES": [16, 24] };

const generated =
  "the old server generates it (AutoGenerate), so web.config does not have it. Set fixed keys on that server, before the move (docs/log-in.md, The old server's cookies)";

/**
 * Reads a `machineKey` element, or the web.config that has it, with the attributes of `forms` beside it.
 *
 * @throws {MachineKeyError}
 */
export function readMachineKey(text: string) {
  const root = readDocument(text);
  const [holder = root, ...others] = findHolders(root);
  const element = root.name === "machineKey" ? root : childOf(holder, "machineKey");
  if (element === undefined) throw new MachineKeyError(`no machineKey: ${generated}`);
  if (others.length > 0) {
    throw new MachineKeyError(
      "several machineKey elements: put the one of the application into a file of its own",
    );
  }
  const given = (name: string) => attributeOf(element, "", name);
  if (given("configProtectionProvider") !== undefined || given("dataProtectorType")) {
    throw new MachineKeyError(
      "the machineKey is encrypted or has a dataProtectorType: decrypt it on the old server (aspnet_regiis -pdf system.web/machineKey <folder>); data protectors are not supported",
    );
  }
  const mode = choose(modes, "compatibilityMode", given("compatibilityMode") ?? modeOf(holder));
  const cipher = choose(ciphers, "decryption", given("decryption") ?? "Auto");
  const hash = choose(hashes, "validation", given("validation"));
  const validationKey = readKey("validationKey", given("validationKey"));
  const decryptionKey = readKey("decryptionKey", given("decryptionKey"));
  if (!keyBytes[cipher].includes(decryptionKey.length)) {
    const bytes = `${decryptionKey.length} bytes; ${cipher} needs ${keyBytes[cipher].join(" or ")}`;
    throw new MachineKeyError(`the decryptionKey has ${bytes}`);
  }
  const forms = childOf(childOf(holder, "authentication"), "forms");
  const ofForms = (name: string) => (forms && attributeOf(forms, "", name)) || undefined;
  if ((ofForms("protection") ?? "All") !== "All") {
    throw new MachineKeyError("forms has a protection other than All: its cookies are not secure");
  }
  return {
    machineKey: { mode, hash, cipher, validationKey, decryptionKey },
    ...{ name: ofForms("name"), path: ofForms("path"), domain: ofForms("domain") },
  };
}

function readDocument(text: string): XmlElement {
  try {
    return readXml(text.replace(/^\ufeff/, ""));
  } catch (cause) {
    if (!(cause instanceof XmlError)) throw cause;
    // The message of the reader may repeat a part of the document.
    const { line, column } = cause;
    throw new MachineKeyError(`not well-formed XML in UTF-8 at line ${line}, column ${column}`);
  }
}

function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((child) => child.name === name);
}

/** Each element that has a machineKey, once for each. */
function findHolders(element: XmlElement): readonly XmlElement[] {
  return element.children.flatMap((child) =>
    child.name === "machineKey" ? [element] : findHolders(child),
  );
}

/** What ASP.NET goes by where machineKey does not say it; undefined where the file has no httpRuntime. */
function modeOf(holder: XmlElement): keyof typeof modes | undefined {
  const runtime = childOf(holder, "httpRuntime");
  if (runtime === undefined) return undefined;
  const target = Number.parseFloat(attributeOf(runtime, "", "targetFramework") ?? "4.0");
  return target >= 4.5 ? "Framework45" : "Framework20SP1";
}

function choose<Value>(
  values: Readonly<Record<string, Value>>,
  name: string,
  given: string | undefined,
): Value {
  const value = Object.hasOwn(values, given ?? "") ? values[given ?? ""] : undefined;
  if (value !== undefined) return value;
  const found = given === undefined ? `no ${name}` : `the ${name} ${JSON.stringify(given)}`;
  const names = Object.keys(values).join(", ");
  throw new MachineKeyError(
    `machineKey has ${found}: add the one of the old server, which must be one of ${names} (docs/log-in.md, The old server's cookies)`,
  );
}

function readKey(name: string, given = "AutoGenerate"): Buffer {
  if (/AutoGenerate|Isolate/i.test(given)) {
    throw new MachineKeyError(`machineKey has no fixed ${name}: ${generated}`);
  }
  const bytes = Buffer.from(given, "hex");
  if (bytes.length * 2 !== given.length || bytes.length < 16 || bytes.length > 128) {
    throw new MachineKeyError(`the ${name} is not 32 to 256 hexadecimal digits, two for each byte`);
  }
  return bytes;
}
