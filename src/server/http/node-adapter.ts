import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type HttpHead, type HttpResponse, headerOf } from "../../bindings/http.ts";
import type { Config } from "../settings/settings.ts";
import type { App, IncomingRequest } from "./app.ts";
import type { BodyBudget } from "./body-budget.ts";
import { type ConnectionTracker, tooManyWaiting } from "./connection-tracker.ts";
import { handleRequest } from "./handle-request.ts";
import { createServer } from "./node-http.ts";
import { dropRest, pendingResponseOf, queueResponse, responseAhead } from "./pipelining.ts";
import { readBody } from "./request-body.ts";
import { describeAmbiguity, readHead } from "./request-head.ts";
import { closing, headersOf, rawResponse } from "./response-head.ts";
import { textResponse } from "./router.ts";
import type { RequestSender } from "./sender.ts";

/** What the adapter asks of the rest of the server for each request. */
export interface ListenerContext {
  readonly site: App;
  readonly config: Config;
  readonly bodies: BodyBudget;
  /** Whether it is the admin listener. */
  readonly isAdmin: boolean;
  /** Told of every request and by whom it was read. */
  readonly traffic: Pick<ConnectionTracker, "read" | "shouldRebalance">;
  findSender(peer: string | undefined, head: HttpHead): RequestSender;
  /** Whether a request came over HTTPS, or from this very machine. */
  isSecure(peer: string | undefined, head: HttpHead): boolean;
  /** Scheme that the caller of a request used. */
  findScheme(peer: string | undefined, head: HttpHead): "http" | "https";
  /** Names the next request. */
  nextId(): string;
  /** True once the server is going down: connections are then closed after their answer. */
  isDraining(): boolean;
  /** Told of bytes that are no request, by the code of Node's error. */
  logClientError(code: string): void;
  /** Told of an error that nothing else has caught: a bug. */
  logBug(reason: unknown): void;
}

/** How often at least waiting requests are held against their time limits, in milliseconds. */
const checkIntervalMs = 2_000;
/** How long the rest of a refused body is read and dropped, so that the caller sees the answer, in milliseconds. */
const lingerMs = 1_000;

/** Makes the HTTP server, not yet listening, with all limits of the settings (decision 0010). */
export function createHttpServer(edge: ListenerContext): Server {
  const { config } = edge;
  const server = createServer({
    maxHeaderSize: config.headBytesMax,
    // A head is part of its request; node:http refuses a longer time for it.
    headersTimeout: Math.min(config.headTimeoutMs, config.requestTimeoutMs),
    requestTimeout: config.requestTimeoutMs,
    connectionsCheckingInterval: Math.min(
      checkIntervalMs,
      config.headTimeoutMs,
      config.requestTimeoutMs,
    ),
    keepAliveTimeout: config.keepAliveTimeoutMs,
    // Our own check answers in the form that all answers have.
    requireHostHeader: false,
  });
  server.maxHeadersCount = config.headersMax;
  server.maxRequestsPerSocket = config.requestsPerConnectionMax;
  server.maxConnections = config.connectionsMax;
  server.timeout = config.idleTimeoutMs;
  // Else a caller that ends its side behind its requests would get only some of the responses.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on("request", (request, response) => serve(edge, request, response));
  // An Expect is met by reading the body, which a refused request never comes to.
  server.on("checkContinue", (request, response) => serve(edge, request, response, true));
  // An Expect that is no 100-continue is nothing that has to be met (RFC 9110 §10.1.1).
  server.on("checkExpectation", (request, response) => serve(edge, request, response));
  server.on("connect", (_request, socket) => refuseTunnel(socket as Socket));
  server.on("clientError", ({ code = "" }: NodeJS.ErrnoException, socket) =>
    refuseBytes(edge, code, socket as Socket),
  );
  return server;
}

async function serve(
  edge: ListenerContext,
  request: IncomingMessage,
  response: ServerResponse,
  awaitsContinue = false,
): Promise<void> {
  const { socket } = request;
  // Cut, and the rest of what had arrived is still being read.
  if (socket.destroyed) return;
  const { requestsPerConnectionMax: max } = edge.config;
  const count = (requestCount.get(socket) ?? 0) + 1;
  // Behind the last one, whose answer ends the connection.
  if (count === Infinity) return;
  // node:http drops what is behind an Upgrade in the same piece, and does not count requests from before it was handed over.
  const isLast = count === max || request.headers.upgrade !== undefined;
  edge.traffic.read.node_http += 1;
  const exchange = { request, response, id: edge.nextId(), awaitsContinue, isLast };
  response.on("error", edge.logBug);
  requestCount.set(socket, isLast ? Infinity : count);
  const turn = queueResponse(socket, response, () => {
    edge.logClientError(tooManyWaiting);
    socket.destroy();
  });
  if (turn !== undefined) await turn;
  try {
    send(edge, exchange, await answer(edge, exchange));
  } catch (reason) {
    edge.logBug(reason);
    response.destroy();
  }
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
  /** Whether the caller waits for a word before it sends the body. */
  readonly awaitsContinue: boolean;
  /** Whether the connection has carried as many requests as it may. */
  readonly isLast: boolean;
}

function answer(edge: ListenerContext, exchange: Exchange): Promise<HttpResponse> | HttpResponse {
  const { request, response, id, awaitsContinue } = exchange;
  const { config } = edge;
  const target = request.url ?? "/";
  const headers = request.rawHeaders;
  const head = readHead(request.method ?? "", target, headers);
  const incoming: IncomingRequest = {
    id,
    head,
    isAdmin: edge.isAdmin,
    sender: () => edge.findSender(request.socket.remoteAddress, head),
    isSecure: () => edge.isSecure(request.socket.remoteAddress, head),
    scheme: () => edge.findScheme(request.socket.remoteAddress, head),
    readBody: () => {
      const length = headerOf(head, "content-length");
      if (awaitsContinue && Number(length ?? 0) <= config.bodyBytesMax) response.writeContinue();
      return readBody(request, length, { bytesMax: config.bodyBytesMax, budget: edge.bodies });
    },
  };
  const refusal = refuse(request, target, config);
  if (refusal === undefined) return handleRequest(incoming, edge.site);
  edge.site.logRefusal(refusal, incoming);
  edge.site.meter.countOther("answer", refusal.status);
  return refusal;
}

/** Refuses a head that is over a limit, or that two readers could read in two ways; such a connection is closed. */
function refuse(
  request: IncomingMessage,
  target: string,
  config: Config,
): HttpResponse | undefined {
  if (target.length > config.targetBytesMax) {
    return textResponse(
      414,
      `The target is longer than the limit of ${config.targetBytesMax} bytes.`,
      closing,
    );
  }
  // node:http takes HTTP/0.9 and HTTP/2.0 for HTTP/1.1, as a caller that does not speak it, or a proxy, might not.
  if (!/^1\.[01]$/.test(request.httpVersion)) {
    return textResponse(505, "The versions of HTTP that are spoken here are 1.0 and 1.1.", closing);
  }
  const ambiguity = describeAmbiguity(request.rawHeaders, request.httpVersion);
  if (ambiguity !== undefined) return textResponse(400, ambiguity, closing);
  return undefined;
}

function send(edge: ListenerContext, exchange: Exchange, answered: HttpResponse): void {
  const { request, response, id, isLast } = exchange;
  if (response.destroyed) return;
  const { status, body } = answered;
  const unread = !request.complete;
  // Said by us: where node:http says it by itself, it leaves the connection open.
  const closes = unread || isLast || edge.isDraining();
  // To a caller that asked for it, node:http says it in its own place, whether or not the body had arrived by now.
  const all = headersOf(answered, { id, closes: closes && response.shouldKeepAlive });
  response.writeHead(status, [...all]);
  if (unread) lingerThenEnd(request, response, body);
  else response.end(body);
}

/** Sends the whole answer, then drops what still arrives: closing at once would reset the connection under it. */
function lingerThenEnd(request: IncomingMessage, response: ServerResponse, body: string): void {
  response.flushHeaders();
  response.write(body);
  const timer = setTimeout(() => response.end(), lingerMs);
  request.on("end", () => {
    clearTimeout(timer);
    response.end();
  });
  request.resume();
}

const clientErrors: Readonly<Record<string, readonly [status: string, reason: string]>> = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "The headers are too large."],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "The request did not arrive in time."],
};

/** What is said to a CONNECT. */
const noTunnel = "This is no proxy.";

/** Requests that each connection has carried; infinitely many where the last one has come. */
const requestCount = new WeakMap<Socket, number>();

/** Counts the requests that a connection had carried before it came here. */
export function setRequestCount(socket: Socket, requests: number): void {
  requestCount.set(socket, requests);
}

/** Connections on which bytes have arrived that are no HTTP request. */
const refused = new WeakSet<Socket>();

/** Answers bytes that are no HTTP request, and closes: once, though node:http tells of all that arrives behind them too. */
function refuseBytes(edge: ListenerContext, code: string, socket: Socket): void {
  if (refused.has(socket)) {
    if (socket.writableFinished) socket.destroy();
    return;
  }
  refused.add(socket);
  edge.logClientError(code);
  endInTurn(socket, clientErrorResponse(code));
}

/** What is said to bytes that are no HTTP request, by the code of Node's error. */
export function clientErrorResponse(code: string): string {
  const [status, reason] = clientErrors[code] ?? ["400 Bad Request", "Not an HTTP request."];
  return rawResponse(status, reason);
}

/** Answers a CONNECT, with which node:http lets go of the connection and of every listener: an error would end the process. */
function refuseTunnel(socket: Socket): void {
  for (const event of ["error", "timeout", "finish"]) socket.on(event, () => socket.destroy());
  dropRest(socket);
  endInTurn(socket, rawResponse("405 Method Not Allowed", noTunnel, ["Allow", "GET, POST"]));
}

/** Sends the last answer of a connection and closes it. */
function endInTurn(socket: Socket, text: string): void {
  const ahead = responseAhead(socket);
  if (ahead !== undefined) {
    ahead.once("finish", () => endInTurn(socket, text));
    return;
  }
  if (!socket.writable) {
    socket.destroySoon();
    return;
  }
  if (pendingResponseOf(socket)?.headersSent) {
    socket.destroy();
    return;
  }
  socket.end(text);
}
