import { connect, type Socket } from "node:net";

/** A response, as far as the benchmarks read it. */
export interface Response {
  readonly status: number;
  readonly head: string;
  readonly body: string;
  /** Time from the request to the last byte of the response, in milliseconds. */
  readonly ms: number;
}

/** A client that sends one request after the other and keeps its connection as long as the server lets it. */
export class Connection {
  readonly #url: URL;
  #socket: Socket | undefined;

  constructor(url: string) {
    this.#url = new URL(url);
  }

  /** Sends a request and resolves to the whole response. Time to connect does not count. */
  async call(request: Buffer): Promise<Response> {
    const socket = this.#socket ?? (await this.#open());
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    let text = "";
    const started = performance.now();
    const onData = (chunk: Buffer) => {
      text += chunk.toString("latin1");
      const end = text.indexOf("\r\n\r\n");
      if (end < 0) return;
      const head = text.slice(0, end);
      const length = Number(/\r\nContent-Length: (\d+)/.exec(head)?.[1]);
      if (Number.isNaN(length)) reject(new Error(`A response without its length: ${text}`));
      if (text.length < end + 4 + length) return;
      const ms = performance.now() - started;
      socket.off("data", onData);
      socket.off("close", onClose);
      // A server closes a connection after so many requests, so that load spreads again.
      if (head.includes("\r\nConnection: close")) this.close();
      resolve({ status: Number(head.slice(9, 12)), head, body: text.slice(end + 4), ms });
    };
    const onClose = () => {
      // Closed for having been idle, just as the request went out: that is no response cut off.
      if (text === "") resolve(this.call(request));
      else reject(new Error(`The connection ended within a response: ${text}`));
    };
    socket.on("data", onData);
    socket.on("close", onClose);
    socket.write(request);
    return promise;
  }

  /** Closes the connection; the next request opens another. */
  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  async #open(): Promise<Socket> {
    const { port, hostname } = this.#url;
    const socket = connect({ port: Number(port), host: hostname, noDelay: true });
    await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
    socket.on("error", () => {});
    socket.on("close", () => {
      if (this.#socket === socket) this.#socket = undefined;
    });
    this.#socket = socket;
    return socket;
  }
}
