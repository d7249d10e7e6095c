import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";

// Pipelined requests on connections that node:http reads (decision 0010): their responses are made
// one after the other, one in each turn of the event loop, and no more is read than a caller takes.

/**
 * Most bytes of a pipeline that node:http gets at once. It reads all that it gets: up to 28
 * requests here, since the smallest has 18 bytes, and each holds some KiB until its response.
 */
const sliceBytes = 512;
/** Most requests of a connection that wait for their turn; slices never come near. */
const waitingMax = 64;

/** Every request line contains it once (RFC 9112 §3). */
const versionMark = " HTTP/";

interface Pipeline {
  last: ServerResponse;
  /** The one before, if it was not finished when the last one came. */
  previous: ServerResponse | undefined;
  waiting: number;
}

const pipelines = new WeakMap<Socket, Pipeline>();

/** Connections that are read in slices; false once node:http has let go of them. */
const sliced = new WeakMap<Socket, boolean>();

/** The last response of a connection where it is unfinished; undefined before the first request. */
function pendingResponseOf(socket: Socket): ServerResponse | undefined {
  return pending(pipelines.get(socket)?.last);
}

/**
 * The last unfinished response before what follows the requests that have arrived (RFC 9112
 * §9.3.2). That to an incomplete request does not count: what follows belongs to the request.
 */
export function responseAhead(socket: Socket): ServerResponse | undefined {
  const pipeline = pipelines.get(socket);
  return pending(pipeline?.last.req.complete ? pipeline.last : pipeline?.previous);
}

function pending(response: ServerResponse | undefined): ServerResponse | undefined {
  return response?.writableFinished ? undefined : response;
}

let lastTurn: Promise<void> = Promise.resolve();

/** Resolves in an event-loop turn of its own, in order: other connections are served in between. */
function ownTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => setImmediate());
  return lastTurn;
}

/**
 * Queues a response behind those of its connection, and behind those of other pipelines. Returns a
 * promise for its turn, when the caller has taken the one before; undefined when it is its turn.
 * The promise may never resolve on a connection that is gone.
 *
 * @param overflow cuts the connection: nothing else stops node:http within what it was given.
 */
export function queueResponse(
  socket: Socket,
  response: ServerResponse,
  overflow: () => void,
): Promise<void> | undefined {
  const pipeline = pipelines.get(socket);
  if (pipeline === undefined) {
    pipelines.set(socket, { last: response, previous: undefined, waiting: 0 });
    return sliced.has(socket) ? ownTurn() : undefined;
  }
  const { last } = pipeline;
  pipeline.last = response;
  pipeline.previous = pending(last);
  if (pipeline.previous === undefined) return sliced.has(socket) ? ownTurn() : undefined;
  readInSlices(socket);
  pipeline.waiting += 1;
  if (pipeline.waiting > waitingMax) overflow();
  return new Promise((resolve) =>
    last.once("finish", () => {
      pipeline.waiting -= 1;
      resolve(ownTurn());
    }),
  );
}

/** Drops what still arrives on a connection that node:http has let go of. */
export function dropRest(socket: Socket): void {
  if (sliced.has(socket)) sliced.set(socket, false);
}

/** Returns true when bytes may hold more than one request. */
export function mayHoldSeveral(bytes: Buffer): boolean {
  const first = bytes.indexOf(versionMark, 0, "latin1");
  return first >= 0 && bytes.includes(versionMark, first + versionMark.length, "latin1");
}

/**
 * Makes node:http read a connection in slices from now on, and stop while a complete request waits
 * for its response. For pipelines only: with large bodies it costs up to twice the CPU.
 */
export function readInSlices(socket: Socket): void {
  const [readByNode] = socket.listeners("data");
  if (sliced.has(socket) || readByNode === undefined) return;
  sliced.set(socket, true);
  let awaited: ServerResponse | undefined;
  socket.removeAllListeners("data");
  socket.on("data", (bytes: Buffer) => {
    for (let at = 0; at < bytes.length && sliced.get(socket) === true; at += sliceBytes) {
      const response = pendingResponseOf(socket);
      // What follows an incomplete request is its rest.
      if (response?.req.complete) {
        socket.pause();
        // Node.js resumes connections for its own reasons too, so a response may be met here again.
        if (response !== awaited) response.once("finish", () => socket.resume());
        awaited = response;
      }
      if (socket.isPaused()) {
        socket.unshift(bytes.subarray(at));
        return;
      }
      readByNode.call(socket, bytes.subarray(at, at + sliceBytes));
    }
  });
}
