import { attributeOf, createXmlReader, type XmlElement, XmlError } from "../codec/xml/reader.ts";
import { createTicketOpener } from "./legacy-ticket.ts";
import { readSecretFile, SecretKeyError } from "./secret-keys.ts";

/** Longest web.config that is read, in bytes. */
const webConfigBytesMax = 1_048_576;

/** Far more than any web.config has. */
const readXml = createXmlReader({
  depth: 64,
  elements: 20_000,
  attributes: 60_000,
  marks: 120_000,
  nameLength: 1_024,
  textLength: 262_144,
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
 * Opens the log-in cookies of an old server with the key in a file (decision 0082).
 *
 * @throws {SecretKeyError}
 */
export function openLegacyCookies(file: string) {
  const text = readSecretFile(file, webConfigBytesMax, "machine keys");
  if (text === null) throw new SecretKeyError("there is no such file");
  const { machineKey, name, path, domain } = readMachineKey(text);
  const names = [name, ".AspNet.ApplicationCookie"];
  return { names, path, domain, open: createTicketOpener(machineKey) };
}

/**
 * Reads a `machineKey` element, or the web.config that has it, with the cookie of its `forms`.
 *
 * @throws {SecretKeyError}
 */
export function readMachineKey(text: string) {
  const elements = flatten(readDocument(text));
  const find = (name: string) => elements.filter((element) => element.name === name);
  const [element, ...others] = find("machineKey");
  if (element === undefined) throw new SecretKeyError(`no machineKey: ${generated}`);
  if (others.length > 0) {
    throw new SecretKeyError(
      "several machineKey elements: put the one of the application into a file of its own",
    );
  }
  const given = (name: string) => attributeOf(element, "", name);
  const source = given("configSource");
  if (source !== undefined) {
    throw new SecretKeyError(
      `the machineKey is in ${JSON.stringify(source)} of the old server: copy it from there into this file`,
    );
  }
  if (given("configProtectionProvider") !== undefined || given("dataProtectorType")) {
    throw new SecretKeyError(
      "the machineKey is encrypted or has a dataProtectorType: decrypt it on the old server (aspnet_regiis -pdf system.web/machineKey <folder>); data protectors are not supported",
    );
  }
  const usualMode = modeOf(find("httpRuntime"));
  const mode = choose(
    "compatibilityMode",
    given("compatibilityMode") ?? usualMode,
    modes,
    "Framework45 if httpRuntime has a targetFramework of 4.5 or later, else Framework20SP1",
  );
  const cipher = choose("decryption", given("decryption") ?? "Auto", ciphers);
  const usualHash = "where it has none either, HMACSHA256 since .NET 4, SHA1 before";
  const hash = choose("validation", given("validation"), hashes, usualHash);
  const validationKey = readKey("validationKey", given("validationKey"));
  const decryptionKey = readKey("decryptionKey", given("decryptionKey"));
  if (!keyBytes[cipher].includes(decryptionKey.length)) {
    const bytes = `${decryptionKey.length} bytes; ${cipher} needs ${keyBytes[cipher].join(" or ")}`;
    throw new SecretKeyError(`the decryptionKey has ${bytes}`);
  }
  const forms = find("authentication")[0]?.children.find(({ name }) => name === "forms");
  const ofForms = (name: string, usual: string) => {
    const value = (forms && attributeOf(forms, "", name)) || usual;
    if (/^[!-:<-~]*$/.test(value)) return value;
    throw new SecretKeyError(
      `forms has the ${name} ${JSON.stringify(value)}: no cookie can have it`,
    );
  };
  if (ofForms("protection", "All") !== "All") {
    throw new SecretKeyError("forms has a protection other than All: its cookies are not secure");
  }
  return {
    machineKey: { mode, hash, cipher, validationKey, decryptionKey },
    name: ofForms("name", ".ASPXAUTH"),
    path: ofForms("path", "/"),
    domain: ofForms("domain", ""),
  };
}

function readDocument(text: string): XmlElement {
  try {
    return readXml(text.replace(/^\ufeff/, ""));
  } catch (cause) {
    if (!(cause instanceof XmlError)) throw cause;
    // The message of the reader may repeat a part of the document.
    const { line, column } = cause;
    throw new SecretKeyError(`not well-formed XML in UTF-8 at line ${line}, column ${column}`);
  }
}

/** An element and all elements inside. */
function flatten(element: XmlElement): readonly XmlElement[] {
  return [element, ...element.children.flatMap(flatten)];
}

/** Mode that ASP.NET infers from httpRuntime; undefined where the file has none. */
function modeOf(runtimes: readonly XmlElement[]) {
  if (runtimes.length === 0) return undefined;
  // Those of single paths do not have it.
  const targets = runtimes.map((runtime) => attributeOf(runtime, "", "targetFramework"));
  const target = targets.find((one) => one !== undefined) ?? "4.0";
  return Number.parseFloat(target) >= 4.5 ? "Framework45" : "Framework20SP1";
}

function choose<Value>(
  name: string,
  given: string | undefined,
  values: Readonly<Record<string, Value>>,
  advice = "",
): Value {
  const value = Object.hasOwn(values, given ?? "") ? values[given ?? ""] : undefined;
  if (value !== undefined) return value;
  const problem =
    given === undefined
      ? `no ${name}: add the one of the old server (${advice})`
      : `the ${name} ${JSON.stringify(given)}, not one of ${Object.keys(values).join(", ")}`;
  throw new SecretKeyError(
    `machineKey has ${problem}. docs/log-in.md, The old server's cookies, has more`,
  );
}

function readKey(name: string, given = "AutoGenerate"): Buffer {
  if (/AutoGenerate|Isolate/i.test(given)) {
    throw new SecretKeyError(`machineKey has no fixed ${name}: ${generated}`);
  }
  const bytes = Buffer.from(given, "hex");
  if (bytes.length * 2 !== given.length || bytes.length < 16 || bytes.length > 128) {
    throw new SecretKeyError(`the ${name} is not 32 to 256 hexadecimal digits, two for each byte`);
  }
  return bytes;
}
