import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { operationsOf } from "@wfh/server/metadata/described-service.ts";
import { codeSamples } from "@wfh/server/metadata/samples/code-samples.ts";
import { resourceMessages } from "@wfh/server/metadata/samples/sample-messages.ts";
import { describeApi } from "@wfh/server/test/metadata/sample-site.ts";
import { listFiles, readText, root } from "@wfh/server/test/source-files.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";

// What users copy compiles under the strictest settings that a project of theirs may have.

interface Sample {
  /** File, or operation, that it is of. */
  readonly of: string;
  readonly code: string;
}

const folder = temporaryFolder();

/** Exports by their module, for samples that show only a call. */
const modules: Readonly<Record<string, RegExp>> = {
  "web-forms-helper": /\b(?:startService|startMock)\b/g,
  "web-forms-helper/client": /\bcreateClient\b/g,
  "web-forms-helper/browser": /\b(?:autofill|configure|start)\b/g,
};

/** Programs of a document that uses the package: its blocks, and scripts within blocks of HTML. */
function programsIn(of: string): readonly Sample[] {
  const text = readText(of);
  if (!text.includes('from "web-forms-helper')) return [];
  const blocks = [...text.matchAll(/^```(?:jsx?|tsx?)\n([\s\S]*?)^```/gm)];
  const html = [...text.matchAll(/^```html\n([\s\S]*?)^```/gm)];
  const scripts = html.flatMap(([, page = ""]) => [
    ...page.matchAll(/<script type="module">([\s\S]*?)<\/script>/g),
  ]);
  return [...blocks, ...scripts].map(([, code = ""]) => ({ of, code }));
}

/** Examples of docstrings. */
function examplesIn(of: string): readonly Sample[] {
  const found = readText(of).matchAll(/@example\n((?: \* .*\n)+)/g);
  return [...found].map(([, lines = ""]) => ({ of, code: lines.replaceAll(/^ \* /gm, "") }));
}

const api = describeApi("https://forms.example.org");
const samples: readonly Sample[] = [
  ...["README.md", ...listFiles().filter((path) => /^docs\/[^/]*\.md$/.test(path))].flatMap(
    programsIn,
  ),
  ...listFiles()
    .filter((path) =>
      /^packages\/(?:browser\/src\/.*|server\/src\/index|cli\/src\/mock)(?<!\.test)\.ts$/.test(
        path,
      ),
    )
    .flatMap(examplesIn),
  ...operationsOf(api).flatMap(([name]) =>
    codeSamples(api, name, resourceMessages(api, name))
      .filter(({ language }) => language === "TypeScript client")
      .map(({ code }) => ({ of: name, code })),
  ),
];

/** Adds what the rest of the page or document has declared. */
function toModule({ code }: Sample): string {
  const imports = Object.entries(modules).flatMap(([module, names]) => {
    const used = new Set([...code.matchAll(names)].map(([name]) => name));
    const isImported = code.includes(`from "${module}"`) || used.size === 0;
    return isImported ? [] : [`import { ${[...used].join(", ")} } from "${module}";\n`];
  });
  return `${imports.join("")}${code}\nexport {};\n`;
}

const declarations = `
declare const wfh: typeof import("web-forms-helper/browser");
declare module "react" {
  interface Ref<Element> { current: Element | null }
  export function useRef<Element>(initial: Element | null): Ref<Element>;
  export function useEffect(effect: () => (() => void) | undefined, deps: readonly unknown[]): void;
}
declare namespace JSX {
  interface IntrinsicElements { fieldset: { ref: { current: HTMLFieldSetElement | null } } }
}
`;

test("every sample of the client and the SDK compiles with noUncheckedIndexedAccess", () => {
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  for (const [i, sample] of samples.entries()) write(`sample-${i}.tsx`, toModule(sample));
  write("declarations.d.ts", declarations);
  write("package.json", '{"type":"module"}');
  // Types alone: the code of the SDK knows browsers, and not Node.js.
  const options = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly"];
  const folders = ["--rootDir", root, "--outDir", join(folder, "built")];
  compile("-p", `${root}packages/browser`, ...options, ...folders);
  const paths = {
    "@wfh/server/*": [`${root}packages/server/src/*`],
    "web-forms-helper": [`${root}packaging/npm/index.ts`],
    "web-forms-helper/client": ["./built/packages/browser/src/client/client.d.ts"],
    "web-forms-helper/browser": ["./built/packages/browser/src/index.d.ts"],
  };
  const compilerOptions = {
    ...JSON.parse(readText("tsconfig.json")).compilerOptions,
    lib: ["es2024", "esnext.array", "dom", "dom.iterable"],
    typeRoots: [`${root}node_modules/@types`],
    jsx: "preserve",
    // A sample shows how to come to a value, not what to do with it.
    noUnusedLocals: false,
    allowImportingTsExtensions: true,
    paths,
  };
  write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["sample-*.tsx", "*.d.ts"] }));
  assert.ok(samples.length >= 18, String(samples.length));
  const errors = compile("-p", folder);
  assert.equal(
    errors.replace(/sample-(\d+)\.tsx/g, (_, i) => samples[Number(i)]?.of ?? ""),
    "",
  );
});

/** Runs the compiler; returns its messages. */
function compile(...options: readonly string[]): string {
  const tsc = `${root}node_modules/.bin/tsc`;
  return spawnSync(tsc, options, { cwd: folder, encoding: "utf8" }).stdout;
}
