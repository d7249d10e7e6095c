import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { readConfig } from "@wfh/server/server/settings/config.ts";
import { compileServices } from "../src/commands/migrate/configured-services.ts";
import type { Exchange } from "../src/exchange.ts";
import { openListener } from "../src/listener.ts";
import { Recorder } from "../src/recorder.ts";
import { Upstream } from "../src/upstream.ts";

/** Recognition of calls and redaction with the default settings. */
export const services = compileServices(readConfig(undefined, {}).config);

/**
 * An old server that is a socket: it gets the bytes of each whole request, and does with the socket
 * what it likes.
 */
export async function openRawServer(respond: (socket: Socket, request: Buffer) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    let received = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const length = lengthOf(received);
      if (length === undefined || received.length < length) return;
      const request = received.subarray(0, length);
      received = received.subarray(length);
      respond(socket, request);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Length of the first request; undefined while it is not known. */
function lengthOf(received: Buffer): number | undefined {
  const head = received.indexOf("\r\n\r\n") + 4;
  if (head < 4) return undefined;
  const text = received.toString("latin1", 0, head);
  if (/^transfer-encoding:/im.test(text)) {
    const end = received.indexOf("0\r\n\r\n", head);
    return end < 0 ? undefined : end + 5;
  }
  return head + Number(/^content-length:\s*(\d+)/im.exec(text)?.[1] ?? 0);
}

/** Opens a recorder in front of an old server. */
export async function openRecorder(url: URL, options: { silenceMs?: number; host?: string } = {}) {
  const exchanges: Exchange[] = [];
  const lines: string[] = [];
  const warnings: string[] = [];
  const upstream = new Upstream({ name: "The old server", url, silenceMs: 10_000, ...options });
  const recorder = new Recorder({
    recognize: services.recognize,
    upstream,
    take: (exchange) => {
      const line = JSON.stringify(services.redact(exchange));
      lines.push(line);
      exchanges.push(JSON.parse(line));
    },
    onConnectionLogIn: () => warnings.push("connection log-in"),
  });
  const listener = await openListener({ host: "127.0.0.1", port: 0 }, recorder.handle);
  return {
    url: listener.url,
    exchanges,
    lines,
    warnings,
    summarize: () => recorder.summarize(),
    close: async () => {
      await listener.close();
      upstream.close();
    },
  };
}
