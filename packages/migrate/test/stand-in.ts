import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

/** A request as a stand-in got it. */
export interface Arrived {
  readonly target: string;
  readonly headers: readonly string[];
  readonly body: string;
}

/** A server in place of the old or the new one, which responds with its name by default. */
export interface StandIn {
  readonly url: string;
  readonly arrived: Arrived[];
  /** Responds in another way from now on. */
  respond: (response: ServerResponse, request: IncomingMessage) => void;
  close(): Promise<void>;
}

/** Starts a stand-in; it ends after the tests of the file. */
export async function startStandIn(name: string, port = 0): Promise<StandIn> {
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    standIn.arrived.push({ target: request.url ?? "", headers: request.rawHeaders, body });
    standIn.respond(response, request);
  });
  await once(server.listen(port, "127.0.0.1"), "listening");
  const standIn: StandIn = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived: [],
    respond: (response) => response.end(name),
    close: async () => {
      server.closeAllConnections();
      server.close();
      if (server.listening) await once(server, "close");
    },
  };
  after(standIn.close);
  return standIn;
}

/** Waits for a condition; fails after 10 seconds. */
export async function until(isMet: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!(await isMet())) {
    if (performance.now() > deadline) throw new Error(`Not within 10 seconds: ${what}`);
    await pause(20);
  }
}
