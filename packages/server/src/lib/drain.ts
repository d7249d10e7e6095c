import { once } from "node:events";
import type { Server } from "node:http";
import { Server as NetServer } from "node:net";
import { setImmediate } from "node:timers/promises";
import type { StartTimer } from "./timer.ts";

/**
 * Ends connections without losing a request (decision 0068). A proxy cannot repeat a POST that it
 * sent on a connection just as the server closed it. So idle connections are left to the caller,
 * to be closed when none has been used for a whole step: by then the proxy has closed its own.
 *
 * @param stepMs length of each of its two steps.
 * @param endConnections makes each response from then on the last of its connection, and say so.
 */
export async function drain(
  servers: readonly Server[],
  stepMs: number,
  after: StartTimer,
  endConnections = () => {},
): Promise<void> {
  const closed = Promise.all(servers.map((server) => once(server, "close")));
  const wait = (share: number) => {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    return Promise.race([closed, late]).finally(after(share * stepMs, resolve));
  };
  await wait(1);
  await Promise.all(servers.map(stopAccepting));
  // Only later, since a proxy that loses its connections opens others, which could still wait.
  await wait(keptShare);
  endConnections();
  await wait(1 - keptShare);
}

/** Share of the second step in which responses still keep their connection. */
const keptShare = 1 / 4;

/** Least ticks of the event loop before the listener closes: each accepts one connection. */
const lastTicks = 32;
/** Most such ticks, where connections never stop coming. */
const lastTicksMax = 1_000;

/** Closes a listener once no connection waits to be accepted, since those would be reset. */
export async function stopAccepting(server: Server): Promise<void> {
  let isQuiet = false;
  const onConnection = () => {
    isQuiet = false;
  };
  server.on("connection", onConnection);
  for (let tick = 0; tick < lastTicksMax && (tick < lastTicks || !isQuiet); tick += 1) {
    isQuiet = true;
    await setImmediate();
  }
  server.off("connection", onConnection);
  // That of node:http would close idle connections as well.
  if (server.listening) NetServer.prototype.close.call(server);
}
