import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { after } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { type Routing, startRouting } from "../../src/cli/commands/migrate/route-server.ts";
import { ajaxEndpoint } from "../../src/contract/ajax-endpoint.ts";
import { locationHelper } from "../../src/contract/location-helper.ts";
import { compileRecognizer } from "../../src/migration/recognize.ts";
import { openLog } from "../../src/server/log.ts";
import { quickFolder } from "../quick-folder.ts";
import { root } from "../source-files.ts";
import { plainEnvironment } from "../test-server.ts";

const recognize = compileRecognizer([
  { contract: locationHelper, paths: ["/Services/Location.asmx"] },
  { contract: ajaxEndpoint, paths: [] },
]);

/** A request as a side got it. */
export interface Arrived {
  readonly target: string;
  readonly headers: readonly string[];
  readonly body: string;
}

/** A server behind the router, which responds with its name by default. */
export interface StandIn {
  readonly url: string;
  readonly arrived: Arrived[];
  /** Responds in another way from now on. */
  respond: (response: ServerResponse, request: IncomingMessage) => void;
  close(): Promise<void>;
}

/** Starts a side; it ends after the tests of the file. */
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

/** A router with its file, which tests change. */
export interface RouteFixture extends Routing {
  readonly file: string;
  /** Lines of the log so far. */
  readonly log: readonly string[];
  /** Writes the file and uses it at once. */
  use(lines: string): void;
}

/** A router in front of two sides; it ends after the tests of the file. */
export async function startRoute(
  sides: { readonly old: string; readonly new: string },
  lines: string,
): Promise<RouteFixture> {
  const folder = mkdtempSync(join(quickFolder, "wfh-route-"));
  const file = join(folder, "routes.toml");
  const write = (rest: string) => writeFileSync(file, routeText(sides, rest));
  write(lines);
  const log: string[] = [];
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      log.push(String(chunk));
      done();
    },
  });
  const routing = await startRouting(
    file,
    { recognize, bytesMax: 65_536 },
    openLog("info", destination),
  );
  after(async () => {
    await routing.close();
    rmSync(folder, { recursive: true });
  });
  return {
    ...routing,
    file,
    log,
    use: (rest) => {
      write(rest);
      routing.reload();
    },
  };
}

/** A route file for free ports. */
export function routeText(
  sides: { readonly old: string; readonly new: string },
  lines: string,
): string {
  const top = { listen: "127.0.0.1:0", metrics: "127.0.0.1:0", ...sides };
  const keys = Object.entries(top).map(([key, value]) => `${key} = "${value}"\n`);
  return keys.join("") + lines;
}

/** Waits for a condition; fails after 10 seconds. */
export async function until(isMet: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!(await isMet())) {
    if (performance.now() > deadline) throw new Error(`Not within 10 seconds: ${what}`);
    await pause(20);
  }
}

/** A call by each binding, with the text that a fault in its form has around the message. */
export const calls = {
  get: (host: string, headers: Record<string, string> = {}, signal: AbortSignal | null = null) =>
    fetch(`${host}/api/LocationUIHelper.asmx/PostalCodeToCityState?postalCode=10001`, {
      headers,
      signal,
    }),
  soap11: (host: string, operation = "PostalCodeToCityState") =>
    post(
      `${host}/api/LocationUIHelper.asmx`,
      envelope("http://schemas.xmlsoap.org/soap/envelope/", operation),
      {
        "Content-Type": "text/xml; charset=utf-8",
        SOAPAction: `"http://example.org/location/${operation}"`,
      },
    ),
  /** Without an action, so that only the Body names the operation. */
  soap12: (host: string, path = "/api/LocationUIHelper.asmx") =>
    post(
      host + path,
      envelope("http://www.w3.org/2003/05/soap-envelope", "PostalCodeToCityState"),
      {
        "Content-Type": "application/soap+xml; charset=utf-8",
      },
    ),
  logIn: (host: string, headers: Record<string, string> = {}) =>
    post(`${host}/api/WebFormsAjaxEndpoint.svc/LogInUser`, '{"userName":"bob","passWord":"x"}', {
      "Content-Type": "application/json; charset=utf-8",
      ...headers,
    }),
};

function post(url: string, body: string, headers: Record<string, string>): Promise<Response> {
  return fetch(url, { method: "POST", body, headers });
}

function envelope(namespace: string, operation: string): string {
  return `<e:Envelope xmlns:e="${namespace}"><e:Body><${operation} xmlns="http://example.org/location/"><postalCode>10001</postalCode></${operation}></e:Body></e:Envelope>`;
}

/** The text of a response. */
export async function textOf(response: Promise<Response>): Promise<string> {
  return (await response).text();
}

/** A program of its own process. */
export interface RunningProcess {
  /** Where it listens, as its log says. */
  readonly url: string;
  readonly metrics: string;
  readonly child: ChildProcess;
  /** Lines of its log so far. */
  readonly log: readonly string[];
  /** Sends SIGTERM; resolves to the exit code. */
  stop(): Promise<number | null>;
}

/** Starts `wfh` as a process, and waits until it listens. It ends after the tests of the file. */
export async function startProcess(
  words: readonly string[],
  settings: Record<string, string> = {},
): Promise<RunningProcess> {
  const child = spawn(process.execPath, [`${root}src/cli/main.ts`, ...words], {
    env: { ...plainEnvironment, WFH_DRAIN_MS: "0", ...settings },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const log: string[] = [];
  const listening = Promise.withResolvers<{ url: string; metrics: string }>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    log.push(line);
    const record = JSON.parse(line) as { url?: string; metrics?: string };
    if (record.url !== undefined) listening.resolve({ metrics: "", ...record, url: record.url });
  });
  child.once("exit", (code) =>
    listening.reject(new Error(`${words.join(" ")} ended with ${code}`)),
  );
  const stop = async () => {
    if (child.exitCode === null && child.kill()) await once(child, "exit");
    return child.exitCode;
  };
  after(stop);
  return { ...(await listening.promise), child, log, stop };
}
