import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { type BuildOptions, buildSync } from "esbuild";

const assets = "packages/server/src/metadata/assets";

/** Style and script of the help pages, minified, and the runtime of script proxies, as written. */
export const assetBundle = {
  path: `${assets}/bundle.ts`,
  render: () => `// Written by \`npm run derive\` from the files beside it; do not edit.

/** Text of a style or script element, and the CSP source expression that allows it. */
export interface Asset {
  readonly text: string;
  readonly source: string;
}

/** The style of every page. */
export const pageStyle: Asset = ${renderAsset(`${assets}/page.css`)};

/** The script of pages with code or a form. */
export const pageScript: Asset = ${renderAsset(`${assets}/page.ts`)};

/** Calling code that every script proxy contains. */
export const scriptProxyRuntime = ${JSON.stringify(readRuntime())};
`,
};

/** Styles and scripts of other pages, each in a module beside what it is made of. */
export const assetModules = [
  assetModule("packages/migrate/src/compare/", "report.css", {
    file: "report-style.ts",
    name: "reportStyle",
    meaning: "The style of reports, which are files of their own.",
  }),
  assetModule("packages/console/src/live/", "browser/live.ts", {
    file: "live-script.ts",
    name: "liveScript",
    meaning: "The script of the live view.",
  }),
  assetModule("packages/console/src/pages/", "operator.css", {
    file: "operator-style.ts",
    name: "operatorStyle",
    meaning: "The style of the pages of operators.",
  }),
];

function assetModule(
  folder: string,
  source: string,
  { file, name, meaning }: Readonly<Record<"file" | "name" | "meaning", string>>,
) {
  return {
    path: folder + file,
    render: () => `// Written by \`npm run derive\` from ${source}; do not edit.
import type { Asset } from "@wfh/server/metadata/assets/bundle.ts";

/** ${meaning} */
export const ${name}: Asset = ${renderAsset(folder + source)};
`,
  };
}

/** Bundles and minifies what an entry file imports. */
function bundle(entry: string, options: BuildOptions): string {
  const { outputFiles } = buildSync({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    target: "es2022",
    charset: "utf8",
    ...options,
    write: false,
  });
  return outputFiles[0]?.text.trim() ?? "";
}

/** A bundle for a style or script element. */
function renderAsset(entry: string): string {
  const text = bundle(entry, { format: "iife" });
  // A style or script element ends at its end tag, even inside a string.
  if (/<\/(?:script|style)|<script/i.test(text)) throw new Error(`${entry} cannot be inline`);
  const hash = createHash("sha256").update(text, "utf8").digest("base64");
  return `${JSON.stringify({ text, source: `'sha256-${hash}'` })}`;
}

/** Script proxies are recorded byte by byte, so that this file is not minified. */
function readRuntime(): string {
  return readFileSync(`${assets}/script-proxy-runtime.js`, "utf8").trimEnd();
}

/** The scripts that pages of other sites load, as one file for each address. */
export const pageScripts = {
  path: "packages/server/src/metadata/page-scripts.ts",
  render: () => {
    const entries = "packages/browser/src/entries/";
    const script = { format: "iife" } as const;
    const module = { format: "esm" } as const;
    const texts = {
      "/wfh.js": bundle(`${entries}wfh.ts`, script),
      "/wfh.mjs": bundle(`${entries}wfh-module.ts`, module),
      "/wfh-log-in.js": bundle(`${entries}wfh-log-in.ts`, script),
      "/demo.js": bundle(`${entries}demo.ts`, script),
      "/wfh-log-in.mjs": bundle(`${entries}wfh-log-in-module.ts`, module),
      "/wfh-suggest.mjs": bundle("packages/browser/src/autofill/combobox.ts", module),
    };
    return `// Written by \`npm run derive\` from packages/browser/; do not edit.

/** Scripts for pages of other sites, by path. */
export const pageScripts: Readonly<Record<string, string>> = ${JSON.stringify(texts, null, 2)};
`;
  },
};
