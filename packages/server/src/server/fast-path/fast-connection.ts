import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { HttpHead, HttpResponse } from "../../bindings/http.ts";
import { closeInStages } from "../http/close-in-stages.ts";
import { createRequestId, handleRequest } from "../http/handle-request.ts";
import type { IncomingRequest } from "../http/incoming-request.ts";
import {
  clientErrorResponse,
  type ListenerContext,
  setRequestCount,
} from "../http/node-adapter.ts";
import { mayHoldSeveral, readInSlices } from "../http/pipelining.ts";
import { bodyEndedEarly } from "../http/request-body.ts";
import { responseText } from "./response-text.ts";
import { createWholeRequestReader, type WholeRequest } from "./whole-request.ts";

// The fast path: a reader of HTTP requests in front of node:http (decision 0039). Its only entry
// point is `attachFastPath`; WFH_FAST_PATH=off leaves every connection to node:http, and the
// responses are the same.
//
// Assumptions. Nearly every request arrives as a whole, in one piece or with its body right behind
// its head, is written in the most common form (`whole-request.ts`), and the next one follows its
// response. With the first request that is otherwise, the connection goes to node:http for good,
// with every byte that has no response yet. So this reader refuses nothing, and these cases need no
// code here: Upgrade, Expect, chunked bodies, oversized heads, slow callers in the middle of a
// request. Pipelining: bytes that arrive during a response wait in the socket and go to node:http
// with the connection. Half-close: a caller that ends its side after a request gets its response;
// one that ends it within a body gets 400.
//
// Figures: CPU of the server for a look-up, with the fast path and without (Node.js 24, kept
// connections; without it the envelope templates are off too): SOAP 1.1 46 and 167 µs, SOAP 1.2 45
// and 144, JSON 44 and 101, HTTP GET 50 and 76, HTTP POST 41 and 117.

/** Milliseconds a connection outlasts its Keep-Alive, as in node:http: a request may be coming. */
const graceMs = 1_000;

/**
 * Most pieces of a request, and the longest wait for the next one, in milliseconds: many clients
 * send head and body separately. Anything slower goes to node:http and its time limits.
 */
const piecesMax = 3;
const pieceTimeoutMs = 200;

/** State that the fast connections of a listener share. */
interface FastPath {
  readonly context: ListenerContext;
  readonly read: ReturnType<typeof createWholeRequestReader>;
  /** Gives a connection to node:http for good, with the number of its requests so far. */
  handOver(socket: Socket, requestCount: number): void;
  /** Connections on the fast path. */
  readonly open: Set<FastConnection>;
  /** Value of Keep-Alive, in the form of node:http. */
  readonly keepAlive: string;
}

/** Puts the fast path in front of a server. Returns the connections on it, at any time. */
export function attachFastPath(
  server: Server,
  context: ListenerContext,
): ReadonlySet<FastConnection> {
  const nodeListeners = server.listeners("connection");
  server.removeAllListeners("connection");
  const { keepAliveTimeoutMs, requestsPerConnectionMax: max } = context.config;
  const fastPath: FastPath = {
    context,
    read: createWholeRequestReader(context.config),
    handOver: (socket, requestCount) => {
      setRequestCount(socket, requestCount);
      for (const listener of nodeListeners) listener.call(server, socket);
    },
    open: new Set(),
    keepAlive: `timeout=${Math.floor(keepAliveTimeoutMs / 1_000)}${max === 0 ? "" : `, max=${max}`}`,
  };
  server.on("connection", (socket) => new FastConnection(socket, fastPath));
  return fastPath.open;
}

/** A connection whose requests arrive whole, one after the other. */
export class FastConnection {
  private readonly socket: Socket;
  private readonly fastPath: FastPath;
  private requestCount = 0;
  private isBusy = false;
  private hasEnded = false;
  /** True once a caller has been silent for its limit while a response was made or taken. */
  private isWaitingLong = false;
  /** A request whose body is incomplete, its bytes so far, and their number of pieces. */
  private begun: WholeRequest | undefined;
  private held: Buffer | undefined;
  private pieces = 0;
  /** Time that the connection may be silent, in milliseconds. */
  private limitMs = 0;
  /** True when more arrived while a response was being made. */
  private hasMore = false;

  constructor(socket: Socket, fastPath: FastPath) {
    this.socket = socket;
    this.fastPath = fastPath;
    fastPath.open.add(this);
    this.limitSilence(fastPath.context.config.headTimeoutMs);
    socket.on("data", this.onData).on("end", this.onEnd).on("timeout", this.onTimeout);
    socket.on("error", this.onError).on("close", this.onClose);
  }

  /** Ends the connection where no request has begun; one that has goes to node:http. */
  endIfIdle(): void {
    if (this.held !== undefined) this.handOver(this.held);
    else if (!this.isBusy) this.socket.destroySoon();
  }

  destroy(): void {
    this.socket.destroy();
  }

  private readonly onData = (bytes: Buffer): void => {
    const { socket, fastPath } = this;
    if (this.isBusy || socket.writableEnded) {
      // The bytes wait in the socket, which reports its end only after they are read.
      socket.pause();
      socket.unshift(bytes);
      this.hasMore = true;
      return;
    }
    const all = this.held === undefined ? bytes : Buffer.concat([this.held, bytes]);
    // node:http holds back a caller that does not take its responses.
    const request = socket.writableLength > 0 ? undefined : fastPath.read(all);
    this.pieces += 1;
    if (request?.body !== undefined) {
      this.begun = undefined;
      if (this.held !== undefined) this.release();
      this.pieces = 0;
      this.requestCount += 1;
      this.isBusy = true;
      this.respond(request.head, request.body, request.isLast);
    } else if (request === undefined || this.pieces >= piecesMax || !this.hold(all)) {
      this.handOver(all);
    } else {
      this.begun = request;
    }
  };

  /** Keeps the bytes of a request so far; false when the budget for bodies is used up. */
  private hold(bytes: Buffer): boolean {
    this.release();
    if (!this.fastPath.context.bodies.reserve(bytes.length)) return false;
    this.held = bytes;
    if (this.limitMs !== pieceTimeoutMs) this.limitSilence(pieceTimeoutMs);
    return true;
  }

  private release(): void {
    this.fastPath.context.bodies.release(this.held?.length ?? 0);
    this.held = undefined;
  }

  private respond(head: HttpHead, body: IncomingRequest["body"], isLast: boolean): void {
    const { context } = this.fastPath;
    const { isAdmin, tracker } = context;
    tracker.read.direct += 1;
    try {
      const id = createRequestId();
      const peer = this.socket.remoteAddress;
      const request = { id, head, body, isAdmin, peer, streams: tracker.streams };
      const response = handleRequest(request, context.app);
      if (response instanceof Promise) {
        response.then((made) => this.send(made, id, isLast)).catch(this.onBug);
      } else {
        this.send(response, id, isLast);
      }
    } catch (reason) {
      this.onBug(reason);
    }
  }

  private send(response: HttpResponse, id: string, isLast: boolean): void {
    const { socket } = this;
    const { context, keepAlive } = this.fastPath;
    const { keepAliveTimeoutMs, requestsPerConnectionMax } = context.config;
    if (socket.destroyed) return;
    const hasToEnd =
      this.requestCount === requestsPerConnectionMax || context.tracker.endsConnections;
    const closes = !isLast && hasToEnd;
    const { text, encoding } = responseText(
      response,
      { id, closes },
      isLast ? undefined : keepAlive,
    );
    socket.write(text, encoding);
    this.isBusy = false;
    if (closes) {
      closeInStages(socket);
    } else if (isLast || this.hasEnded) {
      socket.destroySoon();
    } else if (this.hasMore) {
      this.handOver();
    } else {
      this.isWaitingLong = false;
      const limitMs = keepAliveTimeoutMs + graceMs;
      if (limitMs !== this.limitMs) this.limitSilence(limitMs);
    }
  }

  private limitSilence(ms: number): void {
    this.limitMs = ms;
    this.socket.setTimeout(ms);
  }

  /** @param bytes what precedes the bytes that wait in the socket. */
  private handOver(bytes?: Buffer): void {
    const { socket, fastPath } = this;
    this.release();
    fastPath.open.delete(this);
    socket.off("data", this.onData).off("end", this.onEnd).off("timeout", this.onTimeout);
    socket.off("error", this.onError).off("close", this.onClose);
    socket.setTimeout(0);
    if (bytes !== undefined) socket.unshift(bytes);
    fastPath.handOver(socket, this.requestCount);
    if (bytes === undefined || mayHoldSeveral(bytes)) readInSlices(socket);
    socket.resume();
  }

  private readonly onEnd = (): void => {
    this.hasEnded = true;
    if (this.begun !== undefined) this.refuse("HPE_INVALID_EOF_STATE");
    else if (!this.isBusy) this.socket.end();
  };

  private readonly onTimeout = (): void => {
    const { socket } = this;
    if (this.held !== undefined) {
      this.handOver(this.held);
    } else if ((this.isBusy || socket.writableLength > 0) && !this.isWaitingLong) {
      this.isWaitingLong = true;
      this.limitSilence(this.fastPath.context.config.idleTimeoutMs);
    } else if (this.requestCount > 0) {
      socket.destroy();
    } else {
      this.refuse("ERR_HTTP_REQUEST_TIMEOUT");
    }
  };

  /** Responds to what is not a request, by the code that Node.js has for it, and closes. */
  private refuse(code: string): void {
    const { socket, fastPath } = this;
    // What is refused is not handed over, however slowly the response is taken.
    this.release();
    fastPath.context.onBadRequest(code);
    closeInStages(socket, clientErrorResponse(code));
  }

  private readonly onError = (): void => {
    this.socket.destroy();
  };

  private readonly onClose = (): void => {
    const { begun, fastPath } = this;
    fastPath.open.delete(this);
    this.release();
    // Its response cannot be sent, but it is logged and counted as with node:http.
    if (begun !== undefined) this.respond(begun.head, () => Promise.reject(bodyEndedEarly()), true);
  };

  private readonly onBug = (reason: unknown): void => {
    this.fastPath.context.onBug(reason);
    this.socket.destroy();
  };
}
