import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Longest wait for the server, in milliseconds: longer than time limits of tests. */
const patienceMs = 4_000;

/** A connection whose bytes a test sends in its own time. */
export interface Connection {
  /** Resolves when the bytes have left; rejects when the server has cut the connection. */
  send(bytes: string | Uint8Array): Promise<void>;
  /** Sends the last bytes and says that no more will come. */
  end(bytes: string): Promise<void>;
  /** Resolves to all that was received, as soon as it matches. */
  until(pattern: RegExp): Promise<string>;
  /** Resolves to all that was received when the server closes; rejects when it resets. */
  closed(): Promise<string>;
  /** Goes away without a word. */
  drop(): void;
}

/** Opens a connection to a server of a test. All that is waited for ends in time. */
export async function openConnection(url: string): Promise<Connection> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, "connect");
  let received = "";
  socket.setEncoding("latin1");
  socket.on("data", (text: string) => {
    received += text;
  });
  const ended = outcomeOf(socket);
  return {
    send: (bytes) =>
      new Promise((resolve, reject) => {
        socket.write(bytes, (reason) => (reason ? reject(reason) : resolve()));
      }),
    end: (bytes) => new Promise((resolve) => socket.end(bytes, () => resolve())),
    until: async (pattern) => {
      const signal = AbortSignal.timeout(patienceMs);
      while (!pattern.test(received)) {
        await Promise.race([once(socket, "data", { signal }), ended.then(() => endOf(received))]);
      }
      return received;
    },
    closed: async () => {
      const timer = setTimeout(() => {
        socket.destroy(new Error(`The server keeps the connection: ${received}`));
      }, patienceMs);
      await ended.finally(() => clearTimeout(timer));
      return received;
    },
    drop: () => socket.destroy(),
  };
}

/** Resolves when a connection is closed; rejects with the error that closed it. */
function outcomeOf(socket: Socket): Promise<void> {
  const outcome = new Promise<void>((resolve, reject) => {
    socket.on("error", reject);
    socket.on("close", () => resolve());
  });
  // Who does not ask for the end does not care how it came.
  outcome.catch(() => {});
  return outcome;
}

function endOf(received: string): never {
  throw new Error(`The server closed the connection after: ${received}`);
}

/** A plain request without a body that keeps the connection. */
export function get(path: string, fields = ""): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\n${fields}\r\n`;
}

/** Statuses of all responses in a text, in their order. */
export function statusesIn(text: string): readonly number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
