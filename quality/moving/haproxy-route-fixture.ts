import assert from "node:assert/strict";
import { after, before } from "node:test";
import { startStandIn } from "@wfh/migrate/test/stand-in.ts";
import { ajaxEndpoint } from "@wfh/server/contract/ajax-endpoint.ts";
import { locationHelper } from "@wfh/server/contract/location-helper.ts";
import { exchange, readResponse } from "@wfh/server/test/exchange.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import {
  missingHaproxy,
  type RunningRoute,
  startHaproxyRoute,
} from "../harness/haproxy-examples.ts";
import { missingProxy } from "../harness/tls-proxy.ts";

/** Why the tests of a file are skipped; false where they run. */
export const skip = missingHaproxy || missingProxy;

/** The servers behind HAProxy. The new one responds at /readyz like any other path, with 200. */
export const old = await startStandIn("old");
export const ours = await startStandIn("new");

/** Starts HAProxy in front of both servers. */
export function startRoute(newUrl = ours.url): Promise<RunningRoute> {
  const hostOf = (url: string) => new URL(url).host;
  return startHaproxyRoute(temporaryFolder(), { old: hostOf(old.url), ours: hostOf(newUrl) });
}

/** HAProxy for the tests of a file. */
export let route: RunningRoute;
before(async () => {
  if (skip === false) route = await startRoute();
});
after(() => route?.stop());

export const services = [locationHelper, ajaxEndpoint];
export const operations = services.flatMap((contract) => Object.keys(contract.operations));

/** Gives each operation its rule. */
export async function setRules(
  rule: (operation: string) => string,
  { run }: Pick<RunningRoute, "run"> = route,
): Promise<void> {
  const commands = operations.map((name) => `set map MAP ${name} ${rule(name)}`);
  assert.equal((await run(commands.join("; "))).trim(), "");
}

/** A value of `show stat` by its name. */
export async function statOf(backend: string, server: string, column: string): Promise<string> {
  const [head = "", ...lines] = (await route.run("show stat")).split("\n");
  const line = lines.find((one) => one.startsWith(`${backend},${server},`)) ?? assert.fail();
  return line.split(",")[head.split(",").indexOf(column)] ?? assert.fail();
}

/** Target, headers and body of a request; it is a GET without the latter. */
export type Sent = readonly [
  target: string,
  headers?: Readonly<Record<string, string>>,
  body?: string | Buffer,
];

/** Sends a request over a connection of its own; resolves to the body of the response. */
export async function send(
  [target, headers = {}, body]: Sent,
  { url }: Pick<RunningRoute, "url"> = route,
): Promise<string> {
  const bytes = Buffer.from((body ?? "") as string);
  const fields: Record<string, unknown> = { Host: "a", Connection: "close", ...headers };
  if (body !== undefined) fields["Content-Length"] = bytes.length;
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const method = body === undefined ? "GET" : "POST";
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`);
  return readResponse(await exchange(url, Buffer.concat([head, bytes]))).body;
}

export const location = locationHelper.path;
export const endpoint = ajaxEndpoint.path;
export const soap12 = { "Content-Type": "application/soap+xml; charset=utf-8" };

/** An envelope whose prefixes and namespaces are unlike those of the documents. */
export function envelope(call: string, headers = "<a xmlns='a'>x</a>"): string {
  const start = `<?xml version="1.0" encoding="utf-8"?>\r\n<s:Envelope xmlns:s="s"\n xmlns:x="x">`;
  return `${start}<s:Header>${headers}</s:Header><s:Body x:a="1">\n${call}</s:Body></s:Envelope>`;
}

/** The element of an operation. */
export function elementOf(operation: string): string {
  return `<o:${operation} xmlns:o="any"><postalCode>1</postalCode></o:${operation}>`;
}
