import { createHash, timingSafeEqual } from "node:crypto";
import { listValues } from "@wfh/server/bindings/http.ts";
import { deriveKey } from "@wfh/server/secrets/sealed-box.ts";
import { readSecretFile, type SecretKey, SecretKeyError } from "@wfh/server/secrets/secret-keys.ts";
import type { IncomingRequest } from "@wfh/server/server/http/incoming-request.ts";
import { SettingsError } from "@wfh/server/server/settings/config.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";

/** Header by which an authenticating proxy proves itself, in lower case. */
const proxySecretHeader = "x-wfh-proxy-secret";

/** Header by which doctor marks the request that it forges, which is no attack. */
export const doctorHeader = "x-wfh-doctor";

/** Makes the value of that header, which nothing without the server's keys can. */
export function doctorMarkOf(key: SecretKey): string {
  return deriveKey(key, "forged header of doctor").toString("base64url");
}

/** Fewest characters of the secret: 128 random bits as hexadecimal digits. */
const secretCharactersMin = 32;
/** Largest file of a secret, in bytes. */
const secretBytesMax = 1_024;

/** Settings of the header. */
export type ProxyHeaderSettings = Pick<Config, "operatorProxyHeader" | "operatorProxySecretFile">;

/** Meaning of the header in a request; a name is as the proxy gives it. */
export type ProxyReading =
  | { readonly kind: "none" | "untrusted" }
  | { readonly kind: "name"; readonly name: string };

/**
 * Reads the name of an operator from the header of an authenticating proxy. The address of the peer
 * proves nothing: the public proxy is trusted too, and passes on what visitors send. So the header
 * counts with the secret; where none is set, only at the admin listener.
 */
export class ProxyHeader {
  /** In lower case; `""` where the header is off. */
  readonly #name: string;
  /** Digest of the secret; null where none is set. */
  readonly #secret: Buffer | null;

  /** @throws {SettingsError} when the file of the secret cannot be used. */
  constructor({ operatorProxyHeader, operatorProxySecretFile: file }: ProxyHeaderSettings) {
    this.#name = operatorProxyHeader.toLowerCase();
    this.#secret = file === "" ? null : digestOf(readProxySecret(file));
  }

  read({ head, isAdmin }: Pick<IncomingRequest, "head" | "isAdmin">): ProxyReading {
    if (this.#name === "") return { kind: "none" };
    const names = listValues(head, this.#name);
    if (names.length === 0) return { kind: "none" };
    const [name = ""] = names;
    // Of several, one may be the visitor's.
    if (names.length > 1 || name === "" || !this.#isTrusted({ head, isAdmin })) {
      return { kind: "untrusted" };
    }
    // Node.js reads headers as Latin-1; proxies write UTF-8.
    return { kind: "name", name: Buffer.from(name, "latin1").toString() };
  }

  #isTrusted({ head, isAdmin }: Pick<IncomingRequest, "head" | "isAdmin">): boolean {
    if (this.#secret === null) return isAdmin;
    const given = listValues(head, proxySecretHeader);
    const [secret = ""] = given;
    return given.length === 1 && timingSafeEqual(digestOf(secret), this.#secret);
  }
}

/**
 * Reads the secret that an authenticating proxy sends.
 *
 * @throws {SettingsError} when the file is missing, others may read it, or the secret is too short.
 */
export function readProxySecret(file: string): string {
  const fail = (reason: string) =>
    new SettingsError([`WFH_OPERATOR_PROXY_SECRET_FILE=${file}: ${reason}`]);
  let text: string | null;
  try {
    text = readSecretFile(file, secretBytesMax, "proxy secrets");
  } catch (cause) {
    throw cause instanceof SecretKeyError ? fail(cause.message) : cause;
  }
  if (text === null) throw fail("there is no such file. Make one: openssl rand -hex 32");
  const secret = text.trim();
  if (!/^[\w+/=.~-]+$/.test(secret) || secret.length < secretCharactersMin) {
    throw fail(
      `expected one line of at least ${secretCharactersMin} letters, digits and + / = . _ ~ -, such as the output of openssl rand -hex 32`,
    );
  }
  return secret;
}

/** Digests are of one length, so that the time of a comparison tells nothing. */
function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
