import { createHash } from "node:crypto";
import { type HttpHead, type HttpResponse, hasETag, openToAll } from "../../bindings/http.ts";
import { pageScripts } from "../../metadata/page-scripts.ts";

/** How long a browser may use a script before it asks whether there is a newer one, in seconds. */
const maxAgeS = 3600;

/** The scripts for pages of other sites, by path. Pages of all origins may load them, as modules and with `integrity` too. */
export const pageScriptHandlers: ReadonlyMap<string, (head: HttpHead) => HttpResponse> = new Map(
  Object.entries(pageScripts).map(([path, body]) => {
    const etag = `"${createHash("sha256").update(body).digest("base64url")}"`;
    const headers = [
      ...openToAll,
      "Cache-Control",
      `public, max-age=${maxAgeS}`,
      "Cross-Origin-Resource-Policy",
      "cross-origin",
      "ETag",
      etag,
    ];
    const unchanged: HttpResponse = { status: 304, headers, body: "" };
    const type = ["Content-Type", "text/javascript; charset=utf-8"];
    const whole: HttpResponse = { status: 200, headers: [...headers, ...type], body };
    return [path, (head) => (hasETag(head, etag) ? unchanged : whole)];
  }),
);
