import { openToAll } from "../../bindings/http.ts";
import { pageScripts } from "../../metadata/page-scripts.ts";
import type { PageHandler } from "../http/app.ts";
import { cachedByETag } from "../http/response.ts";

/** Time that a browser may use a script without asking for a newer one, in seconds. */
const maxAgeS = 3600;

/** Creates a script for pages of other sites, which all origins may load, with `integrity` too. */
export function createPageScript(path: string): PageHandler {
  const script = pageScripts[path];
  if (script === undefined) throw new Error(`There is no script for ${path}`);
  const headers = [
    ...openToAll,
    "Cache-Control",
    `public, max-age=${maxAgeS}`,
    "Cross-Origin-Resource-Policy",
    "cross-origin",
    "Content-Type",
    "text/javascript; charset=utf-8",
  ];
  const respond = cachedByETag({ status: 200, headers, body: script });
  return ({ head }) => respond(head);
}
