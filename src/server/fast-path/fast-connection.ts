import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { HttpHead, HttpResponse } from "../../bindings/http.ts";
import type { IncomingRequest } from "../http/app.ts";
import { handleRequest } from "../http/handle-request.ts";
import {
  clientErrorResponse,
  type ListenerContext,
  setRequestCount,
} from "../http/node-adapter.ts";
import { mayHoldSeveral, readInSlices } from "../http/pipelining.ts";
import { bodyEndedEarly } from "../http/request-body.ts";
import { responseText } from "../http/response-head.ts";
import type { RequestSender } from "../http/sender.ts";
import { type BegunRequest, createWholeRequestReader, type WholeRequest } from "./whole-request.ts";

/** How much longer than it says a connection is kept, in milliseconds, as node:http does: a request may be on its way. */
const graceMs = 1_000;

/**
 * Most pieces that a request may arrive in, and the longest wait for the next one, in milliseconds: many clients send head and
 * body on their own, one right behind the other. What takes longer is node:http's, with its limits of time.
 */
const piecesMax = 3;
const pieceTimeoutMs = 200;

/** What a connection needs beside the edge. */
interface FastPathContext {
  readonly edge: ListenerContext;
  readonly read: ReturnType<typeof createWholeRequestReader>;
  /** Gives a connection to node:http for good, with the number of requests that it has carried. */
  handOver(socket: Socket, carried: number): void;
  /** Connections that are read directly. */
  readonly open: Set<FastConnection>;
  /** Value of Keep-Alive, in the form of node:http. */
  readonly keepAlive: string;
}

/**
 * Has the connections of a server read directly for as long as their requests arrive whole, and from then on by node:http.
 * Returns the connections that are read directly at any time.
 */
export function attachFastPath(server: Server, edge: ListenerContext): ReadonlySet<FastConnection> {
  const nodeHttp = server.listeners("connection");
  server.removeAllListeners("connection");
  const open = new Set<FastConnection>();
  const read = createWholeRequestReader(edge.config);
  const handOver = (socket: Socket, carried: number) => {
    setRequestCount(socket, carried);
    for (const listener of nodeHttp) listener.call(server, socket);
  };
  const { keepAliveTimeoutMs, requestsPerConnectionMax: max } = edge.config;
  const keepAlive = `timeout=${Math.floor(keepAliveTimeoutMs / 1_000)}${max === 0 ? "" : `, max=${max}`}`;
  const parts = { edge, read, handOver, open, keepAlive };
  server.on("connection", (socket) => new FastConnection(socket, parts));
  return open;
}

/** A request that arrived whole, or whose caller went away before that. */
class FastRequest implements IncomingRequest {
  readonly id: string;
  readonly head: HttpHead;
  readonly isAdmin: boolean;
  private readonly body: Uint8Array | undefined;
  private readonly peer: string | undefined;
  private readonly edge: ListenerContext;
  private found: RequestSender | undefined;

  constructor(
    { head, body }: WholeRequest | BegunRequest,
    peer: string | undefined,
    edge: ListenerContext,
  ) {
    this.id = edge.nextId();
    this.head = head;
    this.isAdmin = edge.isAdmin;
    this.body = body;
    this.peer = peer;
    this.edge = edge;
  }

  sender(): RequestSender {
    this.found ??= this.edge.findSender(this.peer, this.head);
    return this.found;
  }

  isSecure(): boolean {
    return this.edge.isSecure(this.peer, this.head);
  }

  scheme(): "http" | "https" {
    return this.edge.findScheme(this.peer, this.head);
  }

  readBody(): Uint8Array {
    if (this.body === undefined) throw bodyEndedEarly();
    return this.body;
  }
}

/**
 * A connection whose requests arrive whole or in a few pieces, one after the other. It reads and answers them itself; with the first thing
 * that is otherwise, the connection goes to node:http, and with it every byte that has not been answered (decision 0039).
 */
export class FastConnection {
  private readonly socket: Socket;
  private readonly parts: FastPathContext;
  private requestCount = 0;
  private isBusy = false;
  private hasEnded = false;
  /** Whether the answer, or taking it, lasts longer than a caller may be silent. */
  private isWaitingLong = false;
  /** A request whose body goes on, what has arrived of it, and in how many pieces. */
  private begun: BegunRequest | undefined;
  private held: Buffer | undefined;
  private pieces = 0;
  /** Time that the connection may be silent, in milliseconds. */
  private limitMs = 0;
  /** Whether more has arrived while an answer was being made. */
  private hasMore = false;

  constructor(socket: Socket, parts: FastPathContext) {
    this.socket = socket;
    this.parts = parts;
    parts.open.add(this);
    this.limit(parts.edge.config.headTimeoutMs);
    socket.on("data", this.onData);
    socket.on("end", this.onEnd);
    socket.on("timeout", this.onTimeout);
    socket.on("error", this.onError);
    socket.on("close", this.onClose);
  }

  /** Ends the connection where nothing has begun on it; a request whose body goes on is left to node:http. */
  endIfIdle(): void {
    if (this.held !== undefined) this.handOver(this.held);
    else if (!this.isBusy) this.socket.destroySoon();
  }

  /** Ends the connection whatever goes on. */
  cut(): void {
    this.socket.destroy();
  }

  private readonly onData = (bytes: Buffer): void => {
    const { socket, parts } = this;
    if (this.isBusy || socket.writableEnded) {
      // It waits in the socket, which does not tell its end before it has been read.
      socket.pause();
      socket.unshift(bytes);
      this.hasMore = true;
      return;
    }
    const all = this.held === undefined ? bytes : Buffer.concat([this.held, bytes]);
    // A caller that does not take its answers is node:http's to hold back.
    const request = socket.writableLength > 0 ? undefined : parts.read(all);
    this.pieces += 1;
    if (request === undefined || (request.body === undefined && this.pieces >= piecesMax)) {
      this.handOver(all);
      return;
    }
    if (request.body === undefined) {
      // Without room it is node:http's to refuse.
      if (!this.hold(all)) this.handOver(all);
      else this.begun = request;
      return;
    }
    this.begun = undefined;
    if (this.held !== undefined) this.letGo();
    this.pieces = 0;
    this.requestCount += 1;
    this.isBusy = true;
    this.answer(request, request.isLast);
  };

  /** Keeps what has arrived of a request; false where there is no room for it. */
  private hold(bytes: Buffer): boolean {
    this.letGo();
    if (!this.parts.edge.bodies.reserve(bytes.length)) return false;
    this.held = bytes;
    this.limit(pieceTimeoutMs);
    return true;
  }

  private letGo(): void {
    this.parts.edge.bodies.release(this.held?.length ?? 0);
    this.held = undefined;
  }

  private answer(request: WholeRequest | BegunRequest, isLast: boolean): void {
    const { edge } = this.parts;
    edge.traffic.read.direct += 1;
    try {
      const incoming = new FastRequest(request, this.socket.remoteAddress, edge);
      const answer = handleRequest(incoming, edge.site);
      if (answer instanceof Promise) {
        answer.then((made) => this.send(made, incoming.id, isLast)).catch(this.onBug);
      } else {
        this.send(answer, incoming.id, isLast);
      }
    } catch (reason) {
      this.onBug(reason);
    }
  }

  private send(answer: HttpResponse, id: string, isLast: boolean): void {
    const { socket, requestCount: carried } = this;
    const { edge, keepAlive: kept, open } = this.parts;
    const { keepAliveTimeoutMs, requestsPerConnectionMax } = edge.config;
    if (socket.destroyed) return;
    const hasToEnd = carried === requestsPerConnectionMax || edge.isDraining();
    // Who has sent more already would have to send it again.
    const closes =
      !isLast && (hasToEnd || (!this.hasMore && edge.traffic.shouldRebalance(open.size)));
    const { text, encoding } = responseText(answer, { id, closes }, isLast ? undefined : kept);
    socket.write(text, encoding);
    this.isBusy = false;
    if (closes || isLast || this.hasEnded) {
      socket.destroySoon();
    } else if (this.hasMore) {
      this.handOver();
    } else {
      this.isWaitingLong = false;
      this.limit(keepAliveTimeoutMs + graceMs);
    }
  }

  private limit(ms: number): void {
    if (ms === this.limitMs) return;
    this.limitMs = ms;
    this.socket.setTimeout(ms);
  }

  /** @param bytes what goes before all that waits in the socket. */
  private handOver(bytes?: Buffer): void {
    const { socket, requestCount: carried, parts } = this;
    this.letGo();
    this.leave();
    socket.setTimeout(0);
    if (bytes !== undefined) socket.unshift(bytes);
    parts.handOver(socket, carried);
    if (bytes === undefined || mayHoldSeveral(bytes)) readInSlices(socket);
    socket.resume();
  }

  /** Lets go of the connection, which lives on. */
  private leave(): void {
    const { socket, parts } = this;
    parts.open.delete(this);
    socket.off("data", this.onData);
    socket.off("end", this.onEnd);
    socket.off("timeout", this.onTimeout);
    socket.off("error", this.onError);
    socket.off("close", this.onClose);
  }

  private readonly onEnd = (): void => {
    this.hasEnded = true;
    if (this.begun !== undefined) this.refuse("HPE_INVALID_EOF_STATE");
    else if (!this.isBusy) this.socket.end();
  };

  private readonly onTimeout = (): void => {
    const { socket, requestCount: carried } = this;
    const { edge } = this.parts;
    if (this.held !== undefined) {
      this.handOver(this.held);
    } else if ((this.isBusy || socket.writableLength > 0) && !this.isWaitingLong) {
      this.isWaitingLong = true;
      this.limit(edge.config.idleTimeoutMs);
    } else if (carried > 0) {
      socket.destroy();
    } else {
      this.refuse("ERR_HTTP_REQUEST_TIMEOUT");
    }
  };

  /** Answers what is no request, by the code that Node.js has for it, and closes. */
  private refuse(code: string): void {
    const { socket, parts } = this;
    // What is refused is not handed over, however long the answer takes.
    this.letGo();
    parts.edge.logClientError(code);
    socket.write(clientErrorResponse(code));
    socket.destroySoon();
  }

  private readonly onError = (): void => {
    this.socket.destroy();
  };

  private readonly onClose = (): void => {
    this.parts.open.delete(this);
    this.letGo();
    // Nobody hears the answer, but it is told and counted as node:http's are.
    if (this.begun !== undefined) this.answer(this.begun, true);
  };

  private readonly onBug = (reason: unknown): void => {
    this.parts.edge.logBug(reason);
    this.socket.destroy();
  };
}
