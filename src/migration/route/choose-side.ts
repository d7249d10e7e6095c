import { hash } from "node:crypto";
import { headerOf } from "../../bindings/http.ts";
import type { RequestHead } from "../recognize.ts";
import type { Routes } from "./routes.ts";

/** The old server, or ours. */
export type Side = "old" | "new";

/**
 * Chooses where a request goes first, and whether the old server responds where ours fails.
 *
 * @param operation null for any other request, which the old server gets.
 * @param peer address from which the connection comes.
 */
export function chooseSide(
  { operations, everything, tester, client }: Routes,
  operation: string | null,
  head: RequestHead,
  peer: string,
): { readonly side: Side; readonly fallback: boolean } {
  const old = { side: "old", fallback: false } as const;
  const rule = operations[operation ?? ""];
  if (rule === undefined || everything === "old") return old;
  const isTester = tester !== null && headerOf(head, tester.name) === tester.value;
  if (isTester) return { side: "new", fallback: false };
  const isOurs = rule.percent === 100 || pointOf(clientOf(client, head, peer)) < rule.percent;
  return isOurs ? { side: "new", fallback: rule.fallback } : old;
}

/**
 * A number from 0 up to 100 that is always the same for a client, and the same for every operation. A client that goes
 * to ours at 10 % still does at 20 %, for all operations with that share.
 */
function pointOf(client: string): number {
  return (Number.parseInt(hash("sha256", client).slice(0, 8), 16) % 10_000) / 100;
}

/** What tells a client from others. One without the cookie or header is told by its address. */
function clientOf({ from, name }: Routes["client"], head: RequestHead, peer: string): string {
  const address = headerOf(head, "x-forwarded-for")?.split(",")[0]?.trim() || peer;
  if (from === "address") return address;
  if (from === "header") return headerOf(head, name) ?? address;
  const cookies = (headerOf(head, "cookie") ?? "").split(";").map((one) => one.trim());
  const cookie = cookies.find((one) => one.toLowerCase().startsWith(`${name}=`));
  return cookie?.slice(name.length + 1) || address;
}
