import { addressPrefix, maskAddress, type Sender } from "../network.ts";
import type { PageRequest, StoredPageRequest, VisitorFinding } from "./page-request.ts";
import { NotStoredError, type PageRequestLog } from "./page-request-log.ts";
import type { NetworkRateLimiter } from "./rate-limiter.ts";
import { redactSecrets } from "./redact.ts";
import { compileSecretNames, type IsSecretName } from "./secret-names.ts";

/** Longest stored address of a page, in bytes: twice what browsers and old servers agree on. */
const pageUrlBytesMax = 4_096;
/** UTF-16 units of an address that are read: redacting shortens it, and real ones are shorter. */
const pageUrlReadMax = 2 * pageUrlBytesMax;
/** Longest name of a browser that is stored, in bytes; real ones have fewer than 300. */
const userAgentBytesMax = 512;

/** Collaborators of `PageRequests`. */
export interface PageRequestDeps {
  readonly log: PageRequestLog;
  readonly now: () => number;
  /** Parameters of page addresses whose values are redacted, as for `compileSecretNames`. */
  readonly secretNames: readonly string[];
  /** Limits the page requests of one network; absent where there is no limit. */
  readonly rateLimiter?: Pick<NetworkRateLimiter, "consume">;
}

/** The page requests of all forms: what is kept of them, and where. */
export class PageRequests {
  readonly #deps: PageRequestDeps;
  readonly #isSecret: IsSecretName;

  constructor(deps: PageRequestDeps) {
    this.#deps = deps;
    this.#isSecret = compileSecretNames(deps.secretNames);
  }

  /**
   * Records one page request; resolves once it is on disk. Secrets of the page address are
   * redacted and the sender's address is masked before (decision 0015).
   *
   * @param finding about the visitor's session; null where the cookie was not looked at.
   * @throws {NotStoredError} when it was not stored, or when that cannot be known.
   */
  async record(
    request: PageRequest,
    sender: Sender,
    finding: VisitorFinding | null,
  ): Promise<void> {
    this.#consume(sender, 1);
    const options = { finding, arrivedAtMs: this.#deps.now(), isSecret: this.#isSecret };
    return this.#deps.log.append(toStored(request, sender, options));
  }

  /**
   * Records several page requests of one sender; resolves once all are on disk. When it fails,
   * some may be stored: those with a key can be sent again.
   *
   * @throws {NotStoredError} as {@link record}; also where a network may not send so many a
   * minute.
   */
  async recordAll(
    requests: readonly { readonly request: PageRequest; readonly finding: VisitorFinding | null }[],
    sender: Sender,
  ): Promise<void> {
    this.#consume(sender, requests.length);
    const arrival = { arrivedAtMs: this.#deps.now(), isSecret: this.#isSecret };
    const stored = requests.map(({ request, finding }) =>
      this.#deps.log.append(toStored(request, sender, { ...arrival, finding })),
    );
    for (const outcome of await Promise.allSettled(stored)) {
      if (outcome.status === "rejected") throw outcome.reason;
    }
  }

  #consume({ address }: Sender, count: number): void {
    const { rateLimiter } = this.#deps;
    const network = rateLimiter && address !== null ? addressPrefix(address) : null;
    if (network !== null && rateLimiter?.consume(network, count) === false) {
      throw new NotStoredError("too-many");
    }
  }
}

/** Facts of a page request beside what its sender says. */
export interface Arrival {
  readonly finding: VisitorFinding | null;
  /** UTC, milliseconds. */
  readonly arrivedAtMs: number;
  readonly isSecret: IsSecretName;
}

/** A page request for the store: secrets redacted, address masked, texts cut (decision 0015). */
export function toStored(
  request: PageRequest,
  { requestId, address, userAgent }: Sender,
  { finding, arrivedAtMs, isSecret }: Arrival,
): StoredPageRequest {
  const { pageUrl, referrer, sessionDate, step } = request;
  return {
    ...request,
    finding,
    pageUrl: toStoredAddress(pageUrl, isSecret),
    referrer: toStoredAddress(referrer, isSecret),
    step: step === null ? null : toStorableText(step),
    sessionDate: sessionDate && { ...sessionDate, text: toStorableText(sessionDate.text) },
    requestId: toStorableText(requestId),
    arrivedAtMs,
    network: address === null ? null : maskAddress(address),
    userAgent: userAgent === null ? null : cutText(userAgent, userAgentBytesMax),
  };
}

/** Redacted first: half a secret would not be recognised. */
function toStoredAddress(address: string | null, isSecret: IsSecretName): string | null {
  if (address === null) return null;
  return cutText(redactSecrets(cutAddress(address), isSecret), pageUrlBytesMax);
}

/** Cuts an overlong address between its parts: half a secret would not be recognised. */
function cutAddress(address: string): string {
  if (address.length <= pageUrlReadMax) return address;
  const head = address.slice(0, pageUrlReadMax);
  const end = Math.max(...["/", "?", "#", "&"].map((sign) => head.lastIndexOf(sign)));
  return `${head.slice(0, end + 1)}…`;
}

/**
 * Text as every database can hold it: U+0000, which PostgreSQL refuses, and halves of surrogate
 * pairs, which UTF-8 cannot spell, become U+FFFD (decision 0015). Both only ever arrive in JSON.
 */
function toStorableText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}

const encoder = new TextEncoder();
const ellipsis = "…";
const ellipsisBytes = encoder.encode(ellipsis).length;
/** Most bytes of a UTF-16 unit in UTF-8. */
const unitBytesMax = 3;

/** Storable text of at most so many bytes of UTF-8; where it is cut, its last character is `…`. */
function cutText(given: string, maxBytes: number): string {
  const text = toStorableText(given);
  if (text.length * unitBytesMax <= maxBytes) return text;
  const bytes = new Uint8Array(maxBytes);
  if (encoder.encodeInto(text, bytes).read === text.length) return text;
  // A character that does not fit goes altogether.
  const { read } = encoder.encodeInto(text, bytes.subarray(ellipsisBytes));
  return text.slice(0, read) + ellipsis;
}
