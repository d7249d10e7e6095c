import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { exchange } from "../exchange.ts";

const folder = new URL(".", import.meta.url);

/** Names of the cases: the folders here, each with a whole exchange. */
export function listCases(): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

/** Cases whose response is still wrong. */
export function knownGaps(): readonly string[] {
  return readFileSync(new URL("known-gaps.txt", folder), "utf8").split("\n").filter(Boolean);
}

/** Replaces something in the bytes of a request, which are given as Latin-1. */
export type ChangeRequest = (request: string) => string;

/** Sends the request of a case; resolves to the response without values that vary. */
export async function responseTo(
  name: string,
  url: string,
  change: ChangeRequest = (request) => request,
): Promise<string> {
  const request = readFileSync(new URL(`${name}/request.http`, folder), "latin1");
  const response = await exchange(url, Buffer.from(change(request), "latin1"));
  return Buffer.from(response, "latin1")
    .toString("utf8")
    .replace(/^(Date|X-Request-Id): .*$/gm, "$1: …")
    .replace(/"requestId":"[^"]*"/, '"requestId":"…"');
}

/** The response that a case must get. */
export function recordedResponse(name: string): string {
  return readFileSync(new URL(`${name}/response.http`, folder), "utf8");
}

/** Records the response that a case gets now as the one it must get. */
export function recordResponse(name: string, response: string): void {
  writeFileSync(new URL(`${name}/response.http`, folder), response);
}
