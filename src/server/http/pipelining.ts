import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Most bytes of a pipeline that node:http is given at once. It reads all that it is given: up to 28 requests here, of which the
 * smallest has 18 bytes, and each holds some KiB until it is answered.
 */
const sliceBytes = 512;
/** Most requests of a connection that wait for their turn; a pipeline that is read in slices never comes near. */
const waitingMax = 64;

/** What every request line has once (RFC 9112 §3). */
const mark = " HTTP/";

/** What is behind what, on one connection that node:http reads. */
interface Pipeline {
  /** The last answer. */
  last: ServerResponse;
  /** The one before it, where that had not been taken when the last one came. */
  previous: ServerResponse | undefined;
  /** Answers whose turn has not come. */
  waiting: number;
}

const pipelines = new WeakMap<Socket, Pipeline>();

/** Connections that are read in slices, and whether they still are: node:http may have let go of them. */
const sliced = new WeakMap<Socket, boolean>();

/** The last answer of a connection, begun or not, unless it has been taken; undefined before its first request. */
export function pendingResponseOf(socket: Socket): ServerResponse | undefined {
  return pending(pipelines.get(socket)?.last);
}

/**
 * The last answer that has to be taken before anything may be said of what follows the requests that have arrived (RFC 9112
 * §9.3.2); undefined where there is nothing to wait for. The answer to a request that is not complete is none: what is said is
 * of that request.
 */
export function responseAhead(socket: Socket): ServerResponse | undefined {
  const pipeline = pipelines.get(socket);
  return pending(pipeline?.last.req.complete ? pipeline.last : pipeline?.previous);
}

function pending(answer: ServerResponse | undefined): ServerResponse | undefined {
  return answer?.writableFinished ? undefined : answer;
}

/**
 * Queues an answer behind those of its connection. Returns what resolves when its turn has come, which is when the caller has
 * taken the one before; undefined where there is nothing to wait for. It never resolves on a connection that is gone.
 *
 * @param overflow cuts the connection: nothing else keeps node:http from reading on in what it has been given.
 */
export function queueResponse(
  socket: Socket,
  answer: ServerResponse,
  overflow: () => void,
): Promise<void> | undefined {
  const pipeline = pipelines.get(socket);
  if (pipeline === undefined) {
    pipelines.set(socket, { last: answer, previous: undefined, waiting: 0 });
    return undefined;
  }
  const { last } = pipeline;
  pipeline.last = answer;
  pipeline.previous = pending(last);
  if (pipeline.previous === undefined) return undefined;
  readInSlices(socket);
  pipeline.waiting += 1;
  if (pipeline.waiting > waitingMax) overflow();
  return new Promise((resolve) =>
    last.once("finish", () => {
      pipeline.waiting -= 1;
      resolve();
    }),
  );
}

/** Has what still arrives at a connection dropped: node:http has let go of it. */
export function dropRest(socket: Socket): void {
  if (sliced.has(socket)) sliced.set(socket, false);
}

/** Whether bytes may hold more than one request. */
export function mayHoldSeveral(bytes: Buffer): boolean {
  const first = bytes.indexOf(mark, 0, "latin1");
  return first >= 0 && bytes.includes(mark, first + mark.length, "latin1");
}

/**
 * Has node:http read a connection of its own in slices from now on, and no further while a request that has arrived as a whole
 * waits for its answer to be made and taken (decision 0010). For pipelines only: it costs up to twice the cpu with large bodies.
 */
export function readInSlices(socket: Socket): void {
  const [readByNode] = socket.listeners("data");
  if (sliced.has(socket) || readByNode === undefined) return;
  sliced.set(socket, true);
  let awaited: ServerResponse | undefined;
  const waitFor = (answer: ServerResponse): void => {
    socket.pause();
    // Node.js resumes a connection for reasons of its own too, and so comes here again.
    if (answer !== awaited) answer.once("finish", () => socket.resume());
    awaited = answer;
  };
  socket.removeAllListeners("data");
  socket.on("data", (bytes: Buffer) => {
    for (let at = 0; at < bytes.length && sliced.get(socket) === true; at += sliceBytes) {
      const answer = answerAwaited(socket);
      if (answer !== undefined) waitFor(answer);
      if (socket.isPaused()) {
        socket.unshift(bytes.subarray(at));
        return;
      }
      readByNode.call(socket, bytes.subarray(at, at + sliceBytes));
    }
  });
}

/** The answer that is to be taken before anything else is read. */
function answerAwaited(socket: Socket): ServerResponse | undefined {
  const last = pendingResponseOf(socket);
  // Of a request that is not complete, what arrives is the rest.
  return last?.req.complete ? last : undefined;
}
