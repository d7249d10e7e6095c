import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Longest wait for an answer, in milliseconds: what takes that long hangs. */
const patienceMs = 20_000;

/** Outcome of one request. */
export interface Outcome {
  /** Whole responses, from the status line on; empty when the connection was closed without one. */
  readonly responses: readonly string[];
  /** Milliseconds from the request to the response's first byte or the connection's end. */
  readonly ms: number;
}

/** A whole response of a server that works. */
export interface Response {
  readonly status: number;
  readonly head: string;
  /** Bytes as Latin-1. */
  readonly body: string;
  readonly ms: number;
}

/** A client that sends bytes of any kind, and keeps its connection where it can. */
export class KeepAliveClient {
  readonly #port: number;
  readonly #host: string;
  #socket: Socket | undefined;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#host = hostname;
    this.#port = Number(port);
  }

  /** Sends a request that is framed as it should be; resolves to its answer. */
  async ask(bytes: Uint8Array): Promise<Outcome> {
    const socket = await this.#open();
    return receive(socket, bytes, (text) => {
      const length = lengthOfFirst(text);
      if (length === undefined || text.length < length) return undefined;
      if (/\r\nConnection: close(?:\r|$)/i.test(text.slice(0, text.indexOf("\r\n\r\n"))))
        this.close();
      return [text];
    });
  }

  /**
   * As {@link ask}, but retries once if the server closed the idle connection in the same moment.
   *
   * @throws {Error} when the connection ends within the response.
   */
  async call(bytes: Uint8Array): Promise<Response> {
    const { responses, ms } = await this.ask(bytes);
    const [text] = responses;
    if (text === undefined) return this.call(bytes);
    if (text.length < (lengthOfFirst(text) ?? Number.POSITIVE_INFINITY)) {
      throw new Error(`The connection ended within a response: ${text}`);
    }
    const end = text.indexOf("\r\n\r\n");
    const head = text.slice(0, end);
    return { status: Number(head.slice(9, 12)), head, body: text.slice(end + 4), ms };
  }

  /** Sends bytes that may be anything on a connection of their own, whose side it ends. */
  async throwAt(bytes: Uint8Array): Promise<Outcome> {
    const socket = connect({
      port: this.#port,
      host: this.#host,
      noDelay: true,
      allowHalfOpen: true,
    });
    await once(socket, "connect");
    const outcome = receive(socket, bytes, () => undefined);
    socket.end();
    return outcome.finally(() => socket.destroy());
  }

  /** Closes the connection; the next request opens another. */
  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  async #open(): Promise<Socket> {
    const kept = this.#socket;
    if (kept !== undefined && !kept.destroyed && kept.writable) return kept;
    const socket = connect({ port: this.#port, host: this.#host, noDelay: true });
    await once(socket, "connect");
    socket.on("error", () => {});
    this.#socket = socket;
    return socket;
  }
}

/** Length of a text's first response, head and body; undefined until its head is complete. */
function lengthOfFirst(text: string): number | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const length = /\r\nContent-Length: (\d+)/i.exec(text.slice(0, end))?.[1];
  return end + 4 + Number(length ?? 0);
}

/** Resolves when the answers are complete, as `isDone` finds them, or the connection is closed. */
function receive(
  socket: Socket,
  bytes: Uint8Array,
  isDone: (text: string) => readonly string[] | undefined,
): Promise<Outcome> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
  const chunks: string[] = [];
  const started = performance.now();
  let firstMs: number | undefined;
  const finish = (responses: readonly string[]) => {
    socket.off("data", onData);
    socket.off("close", onClose);
    socket.off("error", onError);
    clearTimeout(timer);
    resolve({ responses, ms: firstMs ?? performance.now() - started });
  };
  const onData = (chunk: Buffer) => {
    firstMs ??= performance.now() - started;
    chunks.push(chunk.toString("latin1"));
    const responses = isDone(chunks.join(""));
    if (responses !== undefined) finish(responses);
  };
  const onClose = () => finish(splitResponses(chunks.join("")));
  // A reset ends a connection as well; what had come before is looked at.
  const onError = () => {};
  const timer = setTimeout(() => {
    socket.destroy();
    reject(new Error(`No answer within ${patienceMs} ms`));
  }, patienceMs);
  socket.on("data", onData);
  socket.on("close", onClose);
  socket.on("error", onError);
  socket.write(bytes);
  return promise;
}

/** Answers one behind the other. Those to HEAD have a length and no body. */
function splitResponses(text: string): readonly string[] {
  return text === "" ? [] : text.split(/(?=HTTP\/1\.1 \d{3} [A-Z])/);
}
