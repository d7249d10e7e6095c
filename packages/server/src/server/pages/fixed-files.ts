import { restApi } from "../../contract/rest-api.ts";
import { textOf } from "../../metadata/markup.ts";
import { allServices, icon, titleOf } from "../../metadata/pages/layout.ts";
import type { PageHandler } from "../http/app.ts";
import { cachedByETag } from "../http/response.ts";
import { readManifest } from "../version.ts";

/** Time that a client may use a file without asking again, in seconds. */
const maxAgeS = 86_400;

/** Time for which the contact in security.txt is promised, in milliseconds (RFC 9116: a year). */
const contactMs = 360 * 86_400_000;

const text = "text/plain; charset=utf-8";

/** Media type and content by path. */
const files: Readonly<Record<string, () => readonly [mediaType: string, body: string]>> = {
  "/favicon.ico": () => ["image/svg+xml", textOf(icon)],
  "/robots.txt": () => [text, "User-agent: *\nDisallow: /\n"],
  "/llms.txt": () => [text, renderOverview()],
  "/.well-known/security.txt": () => {
    const [, address] = /<([^<>]*)>$/.exec(readManifest().author) ?? [];
    const [expires] = new Date(Date.now() + contactMs).toISOString().split("T");
    return [text, `Contact: mailto:${address}\nExpires: ${expires}T00:00:00Z\n`];
  },
};

/** Creates a file that browsers and crawlers look for at the same path of every server. */
export function createFixedFile(path: string): PageHandler {
  const read = files[path];
  if (read === undefined) throw new Error(`There is no file ${path}`);
  return ({ head }) => {
    const [mediaType, body] = read();
    const headers = ["Cache-Control", `public, max-age=${maxAgeS}`, "Content-Type", mediaType];
    return cachedByETag({ status: 200, headers, body })(head);
  };
}

/** Renders what language models read of a server (llmstxt.org). */
function renderOverview(): string {
  const services = allServices.map((service) => {
    const [document, kind] =
      service.name === restApi.name ? ["/openapi.json", "OpenAPI"] : ["?wsdl", "WSDL"];
    return `- [${titleOf(service)}](${service.path}${document}): ${kind}`;
  });
  return `# Web Forms Helper

> Postal codes, page requests and log-in for web forms.

${services.join("\n")}
- [Documentation](/docs/README.md)
`;
}
