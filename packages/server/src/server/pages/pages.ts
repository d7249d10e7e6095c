import { existsSync, readdirSync } from "node:fs";
import type { NamedService } from "../../bindings/binding.ts";
import type { RestApi } from "../../contract/operation.ts";
import { type ProblemName, problems, problemsPath } from "../../contract/problems.ts";
import { lazily } from "../../lib/lazily.ts";
import { programFolder } from "../../lib/program-folder.ts";
import type { PageHandler, ServiceRoute } from "../http/app.ts";
import type { TrustedProxies } from "../http/trusted-proxies.ts";
import type { Config } from "../settings/settings.ts";
import type { RootPageDeps } from "./html-pages.ts";

/** A service's documents; their renderer is loaded with the first request: most run without one. */
export function lazyServiceDocuments(
  service: NamedService,
  config: Pick<Config, "baseUrl" | "helpPages">,
  proxies: TrustedProxies,
  api: RestApi,
): Pick<ServiceRoute, "hasDocument" | "renderDocument"> {
  const load = lazily(async () => {
    const { createDocumentRenderer } = await import("./documents.ts");
    return createDocumentRenderer({ ...service, api }, config, proxies);
  });
  return {
    hasDocument: (target) => target.at === "service" || /^js(?:debug)?$/i.test(target.operation),
    renderDocument: async (request, target) => (await load())(request, target),
  };
}

/** The root page, the demo and the guides by their paths; none with WFH_HELP_PAGES=off. */
export function lazyPages(options: RootPageDeps): ReadonlyMap<string, PageHandler> {
  if (options.config.helpPages === "off") return new Map();
  return new Map([
    ...guidePages(options.config),
    ["/", lazyPage(async () => (await import("./html-pages.ts")).createRootPage(options))],
    ["/demo", lazyPage(async () => (await import("./html-pages.ts")).createDemoPage(options))],
    ["/demo.js", lazyScript("/demo.js")],
  ]);
}

/** The guides by their paths, as pages and as text. An installation may leave them out. */
function guidePages(
  config: Pick<Config, "helpPages">,
): readonly (readonly [string, PageHandler])[] {
  const docs = new URL("docs/", programFolder);
  const files = existsSync(docs) ? readdirSync(docs) : [];
  const guide = (file: string) =>
    lazyPage(async () =>
      (await import("./html-pages.ts")).createGuide(new URL(file, docs), config),
    );
  return files.flatMap((file) => {
    const [, name = ""] = /^(.+)\.md$/.exec(file) ?? [];
    if (name === "") return [];
    // A checkout has no pages of them.
    const page = files.includes(`${name}.html`) ? `${name}.html` : file;
    return [
      [`/docs/${file}`, guide(file)],
      [`/docs/${name === "README" ? "" : name}`, guide(page)],
      ...(name === "README" ? [["/docs", redirectToGuides] as const] : []),
    ];
  });
}

/** Returns the way to the folder, relative to which links of its guides lead. */
const redirectToGuides: PageHandler = () => ({
  status: 308,
  headers: ["Location", "docs/"],
  body: "",
});

/** The page for unknown addresses; undefined with WFH_HELP_PAGES=off. */
export function lazyNotFoundPage(
  config: Pick<Config, "helpPages">,
  api: RestApi,
): PageHandler | undefined {
  if (config.helpPages === "off") return undefined;
  return lazyPage(async () => (await import("./html-pages.ts")).createNotFoundPage(config, api));
}

/** A page that is loaded with the first request for it. */
function lazyPage(make: () => Promise<PageHandler>): PageHandler {
  const load = lazily(make);
  return async (request) => (await load())(request);
}

/** Scripts for pages of other sites; they are served without help pages too. */
const scriptPaths = [
  "/wfh.js",
  "/wfh.mjs",
  "/wfh-log-in.js",
  "/wfh-log-in.mjs",
  "/wfh-suggest.mjs",
];

/** The scripts for pages of other sites by their paths, loaded in the same way. */
export function lazyPageScripts(): ReadonlyMap<string, PageHandler> {
  return new Map(scriptPaths.map((path) => [path, lazyScript(path)]));
}

/** Files that browsers and crawlers look for at the same path of every server. */
const fixedPaths = ["/favicon.ico", "/robots.txt", "/llms.txt", "/.well-known/security.txt"];

/** Those files by their paths, loaded in the same way. */
export function lazyFixedFiles(): ReadonlyMap<string, PageHandler> {
  const load = (path: string) => async () =>
    (await import("./fixed-files.ts")).createFixedFile(path);
  return new Map(fixedPaths.map((path) => [path, lazyPage(load(path))]));
}

function lazyScript(path: string): PageHandler {
  return lazyPage(async () => (await import("./page-scripts.ts")).createPageScript(path));
}

/** The documents of the REST API by path; its page is not there with WFH_HELP_PAGES=off. */
export function lazyApiDocuments(
  api: RestApi,
  config: Pick<Config, "baseUrl" | "helpPages">,
  proxies: TrustedProxies,
): ReadonlyMap<string, PageHandler> {
  const load = lazily(async () => {
    const { createApiDocuments } = await import("./documents.ts");
    return createApiDocuments(api, config, proxies);
  });
  const page: PageHandler = async (request) => (await load()).page(request);
  const names = Object.keys(problems) as ProblemName[];
  return new Map<string, PageHandler>([
    ...(config.helpPages === "off" ? [] : [[api.path, page] as const]),
    [`${api.path}/openapi.json`, async (request) => (await load()).openApi(request)],
    ...names.map((name): [string, PageHandler] => [
      `${api.path}/${problemsPath}/${name}`,
      async () => (await load()).problem(name),
    ]),
  ]);
}
