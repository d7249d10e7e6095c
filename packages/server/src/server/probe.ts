/** Time for a server to respond, in milliseconds. */
const responseMs = 2_000;

/** Returns true when a server of this program responds at an address. */
export async function isServerAt(url: string): Promise<boolean> {
  const health = await get(`${url}/healthz`);
  return health?.text.includes('"status":"ok"') === true;
}

/** Reads a page of a server; null without a response in time. */
export async function get(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly text: string } | null> {
  try {
    const response = await fetch(url, {
      signal: AbortSignal.timeout(responseMs),
      redirect: "manual",
      headers: { Connection: "close", ...headers },
    });
    return { status: response.status, text: await response.text() };
  } catch {
    return null;
  }
}
