/** Where the server is and how it is called. */
export interface Connection {
  /** Address of the server, for example `"https://forms.example.org"`. */
  readonly baseUrl: string;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** Time limit of one attempt, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number;
  /** Number of times that a safe call is repeated. Default 2. */
  readonly retries?: number;
}

/** Why a call failed. */
export type ClientError =
  /** The server refused the call or could not serve it (RFC 9457). */
  | {
      readonly kind: "problem";
      readonly status: number;
      readonly type: string;
      readonly title: string;
      readonly detail: string;
      /** The fields that are wrong; `index` counts from 0 in a batch. */
      readonly errors?: readonly {
        readonly field: string;
        readonly index?: number;
        readonly detail: string;
      }[];
      readonly requestId?: string;
      /** Seconds after which the call may be repeated. */
      readonly retryAfterS?: number;
    }
  /** The server could not be reached, or the browser refused the call (CORS). */
  | { readonly kind: "network"; readonly detail: string }
  | { readonly kind: "timeout"; readonly timeoutMs: number }
  /** The response is not one of this API, for example of a proxy. */
  | { readonly kind: "bad-response"; readonly status: number };

/** A value, or the reason for its absence. */
export type Result<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: ClientError };

/** One call of the API. */
interface Call {
  /** Below `/api/v1/`. */
  readonly path: string;
  /** Sent as JSON with POST; without it the call is a GET. */
  readonly body?: unknown;
  readonly init?: RequestInit;
}

/** Time limit of one attempt, in milliseconds: longer than a server takes that is only busy. */
const usualTimeoutMs = 10_000;
/** First pause before a call is repeated, in milliseconds; each further one is twice as long. */
const firstPauseMs = 300;
/** A server that asks for a longer pause than this many seconds gets no second attempt. */
const longestPauseS = 10;

/**
 * Makes a call, and repeats it where that may help. Never rejects.
 *
 * @param isRepeatable whether the call may be sent again when its outcome is unknown.
 */
export async function request<Value>(
  connection: Connection,
  call: Call,
  isRepeatable: boolean,
): Promise<Result<Value>> {
  let left = isRepeatable ? (connection.retries ?? 2) : 0;
  for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
    const result = await attempt<Value>(connection, call);
    if (result.ok || left-- <= 0) return result;
    const afterS = repeatAfterS(result.error, pauseMs / 1000);
    if (afterS > longestPauseS) return result;
    // Random, so that callers do not all return at once.
    await new Promise((resolve) => setTimeout(resolve, afterS * (1 + Math.random() / 2) * 1000));
  }
}

/** Seconds until an attempt may succeed; infinite where it cannot. */
function repeatAfterS(error: ClientError, usualS: number): number {
  if ("status" in error && error.status < 500) return Infinity;
  return Math.max(usualS, (error.kind === "problem" && error.retryAfterS) || 0);
}

async function attempt<Value>(connection: Connection, call: Call): Promise<Result<Value>> {
  try {
    return await read(await send(connection, call));
  } catch (reason) {
    const { name, message } = reason as Error;
    const { timeoutMs = usualTimeoutMs } = connection;
    return fail(
      name === "TimeoutError"
        ? { kind: "timeout", timeoutMs }
        : { kind: "network", detail: message },
    );
  }
}

function send(connection: Connection, { path, body, init }: Call): Promise<Response> {
  const { fetch = globalThis.fetch, timeoutMs = usualTimeoutMs } = connection;
  return fetch(addressOf(connection, path), {
    signal: AbortSignal.timeout(timeoutMs),
    ...(body !== undefined && {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: toJson(body),
    }),
    ...init,
  });
}

/**
 * Address of a call.
 *
 * @throws {TypeError} without the address of a server: the page itself is not taken for one.
 */
export function addressOf({ baseUrl }: Pick<Connection, "baseUrl">, path: string): string {
  if (baseUrl === "") throw new TypeError("The address of the server is missing: set baseUrl");
  return `${baseUrl.replace(/\/$/, "")}/api/v1/${path}`;
}

async function read<Value>(response: Response): Promise<Result<Value>> {
  const { ok, status, headers } = response;
  const text = await response.text();
  try {
    // Void operations respond with nothing.
    const value = text ? JSON.parse(text) : undefined;
    if (ok) return { ok, value };
    if (headers.get("Content-Type")?.startsWith("application/problem+json")) {
      const retryAfterS = Number(headers.get("Retry-After"));
      return fail({ ...value, kind: "problem", status, ...(retryAfterS > 0 && { retryAfterS }) });
    }
  } catch {
    // Not JSON.
  }
  return fail({ kind: "bad-response", status });
}

function fail(error: ClientError): Result<never> {
  return { ok: false, error };
}

/** JSON with 64-bit integers as text. */
function toJson(value: unknown): string {
  return JSON.stringify(value, (_name, member) =>
    typeof member === "bigint" ? `${member}` : member,
  );
}

/** A key under which the server stores a page request once, however often it arrives. */
export function newEventKey(): string {
  // Unlike randomUUID() it also works on pages without HTTPS.
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}

/** Path of the look-up of a postal code, in one country or in all. */
export function placesPath(postalCode: string, country?: string): string {
  const code = encodeURIComponent(postalCode);
  return country ? `places/${encodeURIComponent(country)}/${code}` : `places?postalCode=${code}`;
}
