import type { Sender } from "../network.ts";
import { addressPrefix, maskAddress } from "../network.ts";
import type { PageRequest, VisitorFinding } from "./page-request.ts";
import { NotStoredError, type PageRequestLog } from "./page-request-log.ts";
import type { NetworkRateLimiter } from "./rate-limiter.ts";
import { redactSecrets } from "./redact.ts";
import { compileSecretNames } from "./secret-names.ts";
import { cutText, toStorableText } from "./storable-text.ts";

/** Longest address of a page that is stored, in bytes: twice what browsers and old servers agree on. */
const pageUrlBytesMax = 4_096;
/** How much of an address is looked at, in UTF-16 units: blanking makes it shorter, and nobody sends twice as much. */
const pageUrlReadMax = 2 * pageUrlBytesMax;
/** Longest name of a browser that is stored, in bytes; real ones have fewer than 300. */
const userAgentBytesMax = 512;

/** What page requests are recorded with. */
export interface PageRequestDeps {
  readonly log: PageRequestLog;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Parameters of page addresses whose values are blanked; see `compileSecretNames` for the form. */
  readonly secretNames: readonly string[];
  /** How many page requests are taken from one network; absent where there is no limit. */
  readonly rateLimiter?: NetworkRateLimiter;
}

/** The page requests of all forms. */
export interface PageRequests {
  /**
   * Records one page request; resolves once it is on disk. Secrets of the page address are blanked
   * and the sender's address is masked before (decision 0015).
   *
   * @param finding what we found about the visitor's session; null where nobody looked.
   * @throws {NotStoredError} when it was not stored, or when nobody can say whether it was.
   */
  record(request: PageRequest, sender: Sender, finding: VisitorFinding | null): Promise<void>;
}

/** Joins the rules for what is kept of a page request with the place where it is kept. */
export function createPageRequests({
  log,
  now,
  secretNames,
  rateLimiter: networkLimit,
}: PageRequestDeps): PageRequests {
  const isSecret = compileSecretNames(secretNames);
  const isWithinLimit = (address: string | null) => {
    const network = networkLimit && address !== null ? addressPrefix(address) : null;
    return network === null || networkLimit?.(network) === true;
  };
  return {
    record: async (request, { requestId, address, userAgent }, finding) => {
      if (!isWithinLimit(address)) throw new NotStoredError("too-many");
      const { pageUrl, sessionDate } = request;
      return log.append({
        ...request,
        finding,
        // Blanked first: half a secret is none that would be recognised.
        pageUrl:
          pageUrl === null
            ? null
            : cutText(
                toStorableText(redactSecrets(cutAddress(pageUrl), isSecret)),
                pageUrlBytesMax,
              ),
        sessionDate:
          sessionDate === null ? null : { ...sessionDate, text: toStorableText(sessionDate.text) },
        requestId: toStorableText(requestId),
        arrivedAtMs: now(),
        network: address === null ? null : maskAddress(address),
        userAgent:
          userAgent === null ? null : cutText(toStorableText(userAgent), userAgentBytesMax),
      });
    },
  };
}

/** Of an address that is far too long the last part goes: half a secret is none that would be recognised. */
function cutAddress(address: string): string {
  if (address.length <= pageUrlReadMax) return address;
  const head = address.slice(0, pageUrlReadMax);
  const end = Math.max(...["/", "?", "#", "&"].map((sign) => head.lastIndexOf(sign)));
  return `${head.slice(0, end + 1)}…`;
}
