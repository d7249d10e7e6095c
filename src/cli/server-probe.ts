/** Time for a server to respond, in milliseconds. */
const responseMs = 2_000;

/** The address at which a listener of this machine is reached from here. */
export function localUrlOf(host: string, port: number): string {
  const reachable = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

/** Whether a server of this program responds at an address. */
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
