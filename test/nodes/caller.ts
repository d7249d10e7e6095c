import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Longest wait for a response, in milliseconds; only a server that hangs comes near it. */
const patienceMs = 10_000;

/** A response, parsed as far as these tests need. */
export interface Reply {
  readonly status: number;
  /** Id of the request. */
  readonly id: string;
  /** Prefix of all request ids of the process that responded. */
  readonly process: string;
  readonly body: string;
  /** Whether the connection ends with it. */
  readonly isLast: boolean;
}

/** A connection that is kept, with one request at a time. */
export interface Caller {
  /** Rejects when the connection breaks before the response is there. */
  ask(request: string): Promise<Reply>;
  close(): void;
}

/** Opens a connection to a server. */
export async function openCaller(url: string): Promise<Caller> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, "connect");
  socket.setEncoding("utf8");
  // `ask` rejects on errors; without a request under way an error does not matter.
  socket.on("error", () => {});
  return {
    ask: async (request) => {
      socket.write(request);
      return readReply(socket);
    },
    close: () => socket.destroy(),
  };
}

function readReply(socket: Socket): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  let seen = "";
  const onData = (text: string) => {
    seen += text;
    const reply = parse(seen);
    if (reply !== undefined) resolve(reply);
  };
  const onEnd = () => reject(new Error("The connection broke"));
  const timer = setTimeout(() => reject(new Error(`No response in time: ${seen}`)), patienceMs);
  const events = { data: onData, error: onEnd, close: onEnd } as const;
  for (const [event, listener] of Object.entries(events)) socket.on(event, listener);
  return promise.finally(() => {
    clearTimeout(timer);
    for (const [event, listener] of Object.entries(events)) socket.off(event, listener);
  });
}

function parse(text: string): Reply | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = text.slice(0, end);
  const length = Number(/^Content-Length: (\d+)$/im.exec(head)?.[1]);
  const body = text.slice(end + 4);
  if (Buffer.byteLength(body) < length) return undefined;
  const id = /^X-Request-Id: (.+)$/im.exec(head)?.[1] ?? "";
  const isLast = /^Connection: close$/im.test(head);
  return { status: Number(head.split(" ")[1]), id, process: id.split("-")[0] ?? "", body, isLast };
}

/** A plain request that keeps the connection. */
export function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
}

/** The look-up of a postal code. */
export function lookUp(code: string): string {
  return get(`/api/LocationUIHelper.asmx/PostalCodeToCityState?postalCode=${code}`);
}

/** A call of the endpoint over JSON. */
export function call(operation: string, parts: object): string {
  const body = JSON.stringify(parts);
  return (
    `POST /api/WebFormsAjaxEndpoint.svc/${operation} HTTP/1.1\r\nHost: 127.0.0.1\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}
