import { argon2 } from "node:crypto";
import { promisify } from "node:util";
import { lazily } from "../lib/lazily.ts";

const builtIn = promisify(argon2);

/** Resolves to undefined where the package has no binary for this platform. */
const loadNative = lazily(() =>
  import("@node-rs/argon2").then(
    (native) => native.hashRaw,
    () => undefined,
  ),
);

/** Loads Argon2, and logs that the slower one of Node.js is used where it is. */
export async function prepareArgon2(log: { warn(message: string): void }): Promise<void> {
  if ((await loadNative()) !== undefined) return;
  log.warn(
    "@node-rs/argon2 has no binary for this platform: password hashes are computed by Node.js, which takes twice as long",
  );
}

/** The work of an Argon2id hash. */
export interface Argon2Work {
  readonly memoryKib: number;
  readonly passes: number;
  readonly lanes: number;
}

/** Work of new records: 19 MiB, 2 passes, 1 lane, as OWASP advises (decision 0022). */
export const currentWork: Argon2Work = { memoryKib: 19_456, passes: 2, lanes: 1 };

/** Most memory of a record that is verified, in KiB: more is damage, and takes it from others. */
const memoryKibMax = 262_144;
const passesMax = 10;
const lanesMax = 8;

/** The bounds of a record that is verified, for people. */
export const boundsOfWork = `up to ${memoryKibMax} KiB, ${passesMax} passes, ${lanesMax} lanes`;

/** Fewest KiB for one lane (RFC 9106, 3.1). */
const laneKibMin = 8;

/** One hash. */
export interface Argon2Input {
  readonly message: Uint8Array;
  readonly salt: Uint8Array;
  readonly work: Argon2Work;
  readonly tagBytes: number;
}

/** The tag of Argon2id, version 0x13, computed on a thread of libuv's pool. */
export async function computeArgon2(input: Argon2Input): Promise<Buffer> {
  const { message, salt, work, tagBytes } = input;
  const hashRaw = await loadNative();
  if (hashRaw === undefined) {
    return builtIn("argon2id", {
      message,
      nonce: salt,
      memory: work.memoryKib,
      passes: work.passes,
      parallelism: work.lanes,
      tagLength: tagBytes,
    });
  }
  // Argon2id and version 0x13 are the defaults; type stripping lacks the const enums naming them.
  return hashRaw(message, {
    salt,
    memoryCost: work.memoryKib,
    timeCost: work.passes,
    parallelism: work.lanes,
    outputLen: tagBytes,
  });
}

/** Parameters in the order of PHC strings, for example `m=19456,t=2,p=1`. */
export function formatWork({ memoryKib, passes, lanes }: Argon2Work): string {
  return `m=${memoryKib},t=${passes},p=${lanes}`;
}

/** Reads what `formatWork` writes; null when it is something else or beyond the bounds. */
export function parseWork(text: string): Argon2Work | null {
  const match = /^m=([1-9]\d{0,6}),t=([1-9]\d?),p=([1-9]\d?)$/.exec(text);
  if (match === null) return null;
  const [memoryKib = 0, passes = 0, lanes = 0] = match.slice(1).map(Number);
  const isBounded =
    memoryKib <= memoryKibMax &&
    passes <= passesMax &&
    lanes <= lanesMax &&
    memoryKib >= lanes * laneKibMin;
  return isBounded ? { memoryKib, passes, lanes } : null;
}
