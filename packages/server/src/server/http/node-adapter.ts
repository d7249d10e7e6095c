import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type HttpResponse, headerOf } from "../../bindings/http.ts";
import { type ConnectionTracker, tooManyWaiting } from "../metrics/state-metrics.ts";
import type { Config } from "../settings/settings.ts";
import type { App } from "./app.ts";
import { closeInStages } from "./close-in-stages.ts";
import { createRequestId, handleRequest } from "./handle-request.ts";
import { describeInvalidHead, type IncomingRequest, readHead } from "./incoming-request.ts";
import { dropRest, queueResponse, responseAhead } from "./pipelining.ts";
import { type BodyBudget, readBody } from "./request-body.ts";
import { closing, headersOf, rawResponse, textResponse } from "./response.ts";

/** Context that node:http and the fast path, the readers of requests, share with their listener. */
export interface ListenerContext {
  readonly app: App;
  readonly config: Config;
  readonly bodies: BodyBudget;
  readonly isAdmin: boolean;
  readonly tracker: Pick<ConnectionTracker, "read" | "dropped" | "endsConnections" | "streams">;
  /** Called with the code of Node's error when bytes are not a request. */
  onBadRequest(code: string): void;
  /** Called with an error that nothing else caught: a bug. */
  onBug(reason: unknown): void;
}

// An import of `node:http` would load its client of WebSockets too, which a server never uses.
const { createServer } = process.getBuiltinModule("node:http");

/** Longest interval between two checks of the time limits, in milliseconds. */
const checkIntervalMs = 2_000;

const versions = "The supported versions of HTTP are 1.0 and 1.1.";

/** Creates the HTTP server, not yet listening, with all limits of the settings (decision 0010). */
export function createHttpServer(context: ListenerContext): Server {
  const { config } = context;
  const server = createServer({
    maxHeaderSize: config.headBytesMax,
    // node:http refuses a time for the head that is longer than that for the request.
    headersTimeout: Math.min(config.headTimeoutMs, config.requestTimeoutMs),
    requestTimeout: config.requestTimeoutMs,
    connectionsCheckingInterval: Math.min(
      checkIntervalMs,
      config.headTimeoutMs,
      config.requestTimeoutMs,
    ),
    keepAliveTimeout: config.keepAliveTimeoutMs,
    // Our own check responds in our own form.
    requireHostHeader: false,
  });
  server.maxHeadersCount = config.headersMax;
  server.maxRequestsPerSocket = config.requestsPerConnectionMax;
  server.maxConnections = config.connectionsMax;
  server.timeout = config.idleTimeoutMs;
  // Without it a caller that half-closes after its requests would get only some of the responses.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on("request", (request, response) => serve(context, request, response));
  // A refused request never reads its body, and so never sends 100 Continue.
  server.on("checkContinue", (request, response) => serve(context, request, response, true));
  // Any other Expect need not be met (RFC 9110 §10.1.1).
  server.on("checkExpectation", (request, response) => serve(context, request, response));
  server.on("connect", (_request, socket) => refuseConnect(socket as Socket));
  server.on("clientError", (error, socket) => refuseBytes(context, error, socket as Socket));
  return server;
}

/** Requests of each connection so far; infinite once the last one has arrived. */
const requestCounts = new WeakMap<Socket, number>();

/** Sets how many requests a connection had before node:http read it. */
export function setRequestCount(socket: Socket, count: number): void {
  requestCounts.set(socket, count);
}

/** Connections whose last response is made: bytes that follow and are no request get none. */
const ended = new WeakSet<Socket>();

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
  /** True when the caller waits for 100 Continue before it sends the body. */
  readonly awaitsContinue: boolean;
  /** True for the last request that the connection may have. */
  readonly isLast: boolean;
}

async function serve(
  context: ListenerContext,
  request: IncomingMessage,
  response: ServerResponse,
  awaitsContinue = false,
): Promise<void> {
  const { socket } = request;
  // The connection was cut while node:http still reads what had arrived.
  if (socket.destroyed) return;
  const count = (requestCounts.get(socket) ?? 0) + 1;
  // It follows the request whose response closes the connection.
  if (count === Infinity) return;
  // node:http drops what follows an Upgrade, and does not count requests of the fast path.
  const isLast =
    count === context.config.requestsPerConnectionMax || request.headers.upgrade !== undefined;
  requestCounts.set(socket, isLast ? Infinity : count);
  context.tracker.read.node_http += 1;
  const exchange = { request, response, id: createRequestId(), awaitsContinue, isLast };
  response.on("error", context.onBug);
  const turn = queueResponse(socket, response, () => {
    context.onBadRequest(tooManyWaiting);
    socket.destroy();
  });
  if (turn !== undefined) await turn;
  // The connection was cut meanwhile, or the response before was its last one.
  if (!socket.writable) return;
  try {
    await send(context, exchange, await respond(context, exchange));
  } catch (reason) {
    context.onBug(reason);
    response.destroy();
  }
}

function respond(
  { app, config, bodies, isAdmin, tracker }: ListenerContext,
  { request, response, id, awaitsContinue }: Exchange,
): Promise<HttpResponse> | HttpResponse {
  const target = request.url ?? "/";
  const head = readHead(request.method ?? "", target, request.rawHeaders);
  const incoming: IncomingRequest = {
    id,
    head,
    isAdmin,
    peer: request.socket.remoteAddress,
    disconnect: () => request.socket.resetAndDestroy(),
    streams: tracker.streams,
    body: () => {
      const length = headerOf(head, "content-length");
      if (awaitsContinue && Number(length ?? 0) <= config.bodyBytesMax) response.writeContinue();
      return readBody(request, length, { bytesMax: config.bodyBytesMax, budget: bodies });
    },
  };
  const refusal = refuseHead(request, target, config);
  if (refusal === undefined) return handleRequest(incoming, app);
  app.log.refusal(refusal, incoming);
  app.meter.countOther("response", refusal.status);
  return refusal;
}

/** Refuses an invalid, ambiguous or too large head, and closes; undefined for any other. */
function refuseHead(
  { httpVersion, rawHeaders }: Pick<IncomingMessage, "httpVersion" | "rawHeaders">,
  target: string,
  { targetBytesMax }: Config,
): HttpResponse | undefined {
  if (target.length > targetBytesMax) {
    return textResponse(
      414,
      `The target is longer than the limit of ${targetBytesMax} bytes.`,
      closing,
    );
  }
  // node:http takes HTTP/0.9 and HTTP/2.0 for HTTP/1.1; the caller, or a proxy, may not.
  if (!/^1\.[01]$/.test(httpVersion)) {
    return textResponse(505, versions, closing);
  }
  const fault = describeInvalidHead(rawHeaders, httpVersion);
  return fault === undefined ? undefined : textResponse(400, fault, closing);
}

async function send({ tracker }: ListenerContext, exchange: Exchange, made: HttpResponse) {
  const { request, response, id, isLast } = exchange;
  if (response.destroyed) return;
  const { socket } = request;
  const { stream } = made;
  // A stream may go on until connections end, and cannot say so at its end.
  const ends = !request.complete || isLast || tracker.endsConnections || stream !== undefined;
  if (ends) {
    ended.add(socket);
    // node:http calls it after the response.
    socket.destroySoon = () => closeInStages(socket);
  }
  // Where the caller asked to close, node:http sends the header itself.
  const closes = ends && response.shouldKeepAlive;
  response.writeHead(made.status, headersOf(made, { id, closes }));
  if (stream === undefined || request.method === "HEAD") response.end(made.body);
  else await tracker.streams.send(response, stream);
}

const clientErrors: Readonly<Record<string, readonly [status: string, reason: string]>> = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "The headers are too large."],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "The request did not arrive in time."],
};

/** Errors in what others take for a request line (RFC 9110 §15.6.2, §15.6.6). */
const lineErrors: typeof clientErrors = {
  ...clientErrors,
  HPE_INVALID_METHOD: ["501 Not Implemented", "The method is not known."],
  HPE_INVALID_VERSION: ["505 HTTP Version Not Supported", versions],
};
const requestLine = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ \S+ HTTP\/\d\.\d\r\n/;

/** An error of node:http about bytes, with the place where it stopped. */
interface ClientError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

function isRequestLine({ rawPacket, bytesParsed = 0 }: ClientError): boolean {
  const start = (rawPacket?.lastIndexOf("\n", bytesParsed) ?? -1) + 1;
  return requestLine.test(rawPacket?.toString("latin1", start) ?? "");
}

/** The response to bytes that are not a request, by the code of Node's error. */
export function clientErrorResponse(code: string, errors = clientErrors): string {
  const [status, reason] = errors[code] ?? ["400 Bad Request", "Not an HTTP request."];
  return rawResponse(status, reason);
}

/** Responds once to bytes that are no request, and closes: node:http reports what follows too. */
function refuseBytes(context: ListenerContext, error: ClientError, socket: Socket): void {
  if (ended.has(socket)) return;
  ended.add(socket);
  const { code = "" } = error;
  context.onBadRequest(code);
  endInTurn(socket, clientErrorResponse(code, isRequestLine(error) ? lineErrors : clientErrors));
}

/** Refuses CONNECT. node:http has removed all listeners: an error would end the process. */
function refuseConnect(socket: Socket): void {
  for (const event of ["error", "timeout"]) socket.on(event, () => socket.destroy());
  dropRest(socket);
  const reason = "This server is not a proxy.";
  endInTurn(socket, rawResponse("405 Method Not Allowed", reason, ["Allow", "GET, POST"]));
}

/** Sends the last response of a connection after those before it, and closes. */
function endInTurn(socket: Socket, text: string): void {
  const ahead = responseAhead(socket);
  if (ahead !== undefined) ahead.once("finish", () => endInTurn(socket, text));
  else if (!socket.writable) socket.destroySoon();
  else closeInStages(socket, text);
}
