/** Time for a server to respond, in milliseconds. */
const responseMs = 2_000;

/** Returns true when a server of this program responds at an address. */
export async function isServerAt(url: string): Promise<boolean> {
  const health = await get(`${url}/healthz`);
  return health?.text.includes('"status":"ok"') === true;
}

/** Reads a page of a server, and where that redirects to; null without a response in time. */
export async function get(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{
  readonly status: number;
  readonly location: string | null;
  readonly text: string;
} | null> {
  try {
    const response = await fetch(url, {
      signal: AbortSignal.timeout(responseMs),
      redirect: "manual",
      headers: { Connection: "close", ...headers },
    });
    const location = response.headers.get("location");
    return { status: response.status, location, text: await response.text() };
  } catch {
    return null;
  }
}
