import { createHash } from "node:crypto";
import { operationCaching } from "../../bindings/binding.ts";
import type { HttpResponse } from "../../bindings/http.ts";
import type { Page } from "../../metadata/pages/layout.ts";

/** Answers a page. Its policy allows the very style and script that stand in it, and calls to its own origin (decision 0030). */
export function pageResponse({ html, style, script }: Page): HttpResponse {
  const rules = [
    "default-src 'none'",
    ...(script === undefined ? [] : [`script-src ${sourceOf(script)}`, "connect-src 'self'"]),
    `style-src ${sourceOf(style)}`,
    // The icon of the page, which is in the page.
    "img-src data:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    status: 200,
    headers: ["Cache-Control", operationCaching, "Content-Type", "text/html; charset=utf-8"],
    body: html,
    policy: rules.join("; "),
  };
}

/** Hashes of texts that were asked for; pages have a handful of different ones, all of them part of the program. */
const sources = new Map<string, string>();

/** How a policy names a text that stands in a page. */
function sourceOf(text: string): string {
  let source = sources.get(text);
  if (source === undefined) {
    source = `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;
    sources.set(text, source);
  }
  return source;
}
