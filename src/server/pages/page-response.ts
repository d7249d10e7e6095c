import { operationCaching } from "../../bindings/binding.ts";
import type { HttpResponse } from "../../bindings/http.ts";
import type { Page } from "../../metadata/pages/layout.ts";

/**
 * Returns a page. Its Content-Security-Policy allows exactly its own style and script, and calls to its own origin
 * (decision 0030).
 */
export function pageResponse({ html, style, script }: Page): HttpResponse {
  const rules = [
    "default-src 'none'",
    ...(script === undefined ? [] : [`script-src ${script.source}`, "connect-src 'self'"]),
    `style-src ${style.source}`,
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
