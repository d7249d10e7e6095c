import { createHash } from "node:crypto";
import { operationCaching } from "../../bindings/binding.ts";
import type { HttpResponse } from "../../bindings/http.ts";
import type { Page } from "../../metadata/pages/layout.ts";

/** Returns a page. Its Content-Security-Policy allows exactly its own style and script, and calls to its own origin (decision 0030). */
export function pageResponse({ html, style, script }: Page): HttpResponse {
  const rules = [
    "default-src 'none'",
    ...(script === undefined ? [] : [`script-src ${sourceOf(script)}`, "connect-src 'self'"]),
    `style-src ${sourceOf(style)}`,
    // The icon is embedded.
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

/** Hashes of styles and scripts; there are a handful, all of them part of the program. */
const sources = new Map<string, string>();

/** How a policy names a style or script of a page. */
function sourceOf(text: string): string {
  let source = sources.get(text);
  if (source === undefined) {
    source = `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;
    sources.set(text, source);
  }
  return source;
}
