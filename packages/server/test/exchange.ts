import { connect } from "node:net";

/** Longest wait for an answer, in milliseconds; only a server that hangs comes near it. */
const patienceMs = 10_000;

/**
 * Sends bytes to a server and resolves to all it sends back until it closes the connection. The
 * request therefore asks for `Connection: close`, unless the server closes of itself.
 */
export function exchange(
  url: string,
  ...pieces: readonly (string | Uint8Array)[]
): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    const received: Buffer[] = [];
    socket.setTimeout(patienceMs, () => socket.destroy(new Error("The server does not answer")));
    socket.on("data", (chunk: Buffer) => received.push(chunk));
    socket.on("end", () => socket.end());
    socket.on("close", () => resolve(Buffer.concat(received).toString("latin1")));
    socket.on("error", reject);
    for (const piece of pieces) socket.write(piece);
  });
}

/** An answer taken apart. */
export interface RawResponse {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Takes the text of one whole answer apart; the body is read as UTF-8. */
export function readResponse(text: string): RawResponse {
  const end = text.indexOf("\r\n\r\n");
  const [statusLine = "", ...fields] = text.slice(0, end).split("\r\n");
  const headers = new Map(
    fields.map((field): [string, string] => {
      const colon = field.indexOf(":");
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
    }),
  );
  const body = Buffer.from(text.slice(end + 4), "latin1").toString("utf8");
  return { status: Number(statusLine.split(" ")[1]), headers, body };
}
