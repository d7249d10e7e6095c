import type { Socket } from "node:net";
import { dropRest } from "./pipelining.ts";

/** Longest time to drop bytes after the last response, in milliseconds: a packet may be resent. */
const lingerMs = 2_000;

/**
 * Closes a connection in stages (RFC 9112 §9.6): ends our side after what is written and a last
 * text, then drops what still arrives until the caller ends its side. A connection that is closed
 * at once with bytes unread is reset, and the caller loses responses that are on their way.
 */
export function closeInStages(socket: Socket, text = ""): void {
  dropRest(socket);
  socket.removeAllListeners("data").on("data", () => {});
  socket.resume();
  socket.end(text, () => {
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once("close", () => clearTimeout(timer));
  });
}
