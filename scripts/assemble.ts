import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { writeClientTypes } from "./derive/client-types.ts";
import { renderGuides } from "./guide-pages.ts";
import { renderManPage } from "./man-page.ts";

/*
 * Assembles the package that users install in dist/: bundles, their types, data and documents.
 *
 *   node scripts/assemble.ts [--no-types]
 */

const root = fileURLToPath(new URL("../", import.meta.url));
const target = join(root, "dist");
/** Folder of a package in the making: a server that runs from dist/ still loads files of it. */
const draft = `${target}.draft`;
const workspaces = ["server", "console", "cli", "migrate"];

/** Files beside the code, at the same paths: links of documents lead there. */
const copied = [
  "docs",
  "examples",
  "quality/bench/RESULTS.md",
  "README.md",
  "CHANGELOG.md",
  "NOTICE",
  "LICENSE",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "data/gazetteer.bin",
  "data/geonames-cities.bin",
  "data/geonames-regions.tsv",
  "data/us-decided-cities.tsv",
  "data/README.md",
  "data/build-report.md",
];

/** Programs, and files that the program starts as a thread or a process, by their names in lib/. */
const programs = {
  wfh: "packaging/npm/wfh.ts",
  index: "packaging/npm/index.ts",
  "thread-main": "packages/server/src/store/sqlite/thread-main.ts",
  "console-thread": "packages/console/src/database/console-thread.ts",
  "postgres-thread": "packages/console/src/database/postgres-thread.ts",
  "copy-and-check-process": "packages/server/src/store/sqlite/copy-and-check-process.ts",
};

/** Modules for programs of others, by their names in lib/. */
const modules = {
  client: "packages/browser/src/client/client.ts",
  browser: "packages/browser/src/index.ts",
};

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest;
}

/** Run-time dependencies of the package: those of its workspaces. */
const dependencies = Object.fromEntries(
  workspaces
    .flatMap((name) => Object.entries(readManifest(`packages/${name}`).dependencies))
    .filter(([name]) => !name.startsWith("@wfh/"))
    .toSorted(),
);

/** Dependencies that are no part of a bundle: with a binary, or traced by users. */
const external = ["@node-rs/argon2", "@node-rs/bcrypt", "@opentelemetry/api", "pg"];

/**
 * Bundles each program with its dependencies into one file of CommonJS: resolving and linking 100
 * modules takes Node.js as long as running them. Dependencies are installed beside it all the same,
 * with their licences, for those who audit them.
 */
function bundle(): void {
  const shared = { absWorkingDir: root, bundle: true, outdir: join(draft, "lib") } as const;
  buildSync({
    ...shared,
    entryPoints: programs,
    format: "cjs",
    outExtension: { ".js": ".cjs" },
    platform: "node",
    target: "node24",
    external,
    // Becomes `require`: the other loader takes 10 ms.
    supported: { "dynamic-import": false },
    minifyWhitespace: true,
    sourcemap: "external",
    sourcesContent: false,
    define: { "import.meta.url": "moduleUrl" },
    banner: { js: 'const moduleUrl = require("node:url").pathToFileURL(__filename).href;' },
  });
  for (const name of Object.keys(programs)) escapeOthers(join(draft, `lib/${name}.cjs`));
  writeFileSync(join(draft, "lib/index.js"), 'export * from "./index.cjs";\n');
  const options = {
    format: "esm",
    platform: "neutral",
    target: "es2022",
    charset: "utf8",
  } as const;
  buildSync({ ...shared, ...options, entryPoints: modules });
}

/** Escapes what is not ASCII, in regular expressions and templates: V8 needs half the memory. */
function escapeOthers(file: string): void {
  const toEscape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  writeFileSync(file, readFileSync(file, "utf8").replace(/[^\0-\x7f]/g, toEscape));
}

/** Specifiers of imports and exports in a declaration file. */
const specifier = /(?<=\bfrom "|\bimport\(")[^"]+(?=")/g;

/** Copies the declarations that an entry reaches, with relative paths for names of workspaces. */
function copyTypes(): void {
  writeClientTypes();
  const made = mkdtempSync(join(tmpdir(), "wfh-types-"));
  try {
    const tsc = join(root, "node_modules/.bin/tsc");
    const options = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly"];
    for (const project of ["tsconfig.json", "packages/browser"]) {
      const words = ["-p", project, ...options, "--rootDir", root, "--outDir", made];
      execFileSync(tsc, words, { cwd: root, stdio: ["ignore", 2, 2] });
    }
    const waiting = ["packaging/npm/index.ts", ...Object.values(modules)];
    const seen = new Set(waiting);
    for (const path of waiting) {
      const file = path.replace(/\.ts$/, ".d.ts");
      const text = readFileSync(join(made, file), "utf8").replace(specifier, (name) => {
        const found = resolve(name, path);
        if (found === undefined) return name;
        if (!seen.has(found)) waiting.push(found);
        seen.add(found);
        const relative = posix.relative(posix.dirname(path), found.replace(/\.ts$/, ".js"));
        return relative.startsWith(".") ? relative : `./${relative}`;
      });
      mkdirSync(dirname(join(draft, "types", file)), { recursive: true });
      writeFileSync(join(draft, "types", file), text);
    }
  } finally {
    rmSync(made, { recursive: true });
  }
}

/** File of an import in a declaration; undefined for a module of Node.js or a dependency. */
function resolve(name: string, from: string): string | undefined {
  if (name.startsWith(".")) return posix.join(posix.dirname(from), name);
  const [, workspace, path] = /^@wfh\/(\w+)\/(.+)$/.exec(name) ?? [];
  return path && `packages/${workspace}/src/${path}`;
}

/** Writes the package's manifest, with the exact versions of all dependencies for npm. */
function writeManifest(): void {
  const { name, version, ...rest } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  ) as Record<string, unknown>;
  const { description, keywords, author, license, repository, type, engines } = rest;
  const entry = (types: string, code: string) => ({
    types: `./types/${types.replace(/\.ts$/, ".d.ts")}`,
    default: `./lib/${code}.js`,
  });
  const manifest = {
    name,
    version,
    description,
    keywords,
    author,
    license,
    repository,
    type,
    engines,
    gitHead: readCommit(),
    bin: { "web-forms-helper": "bin/web-forms-helper.cjs", wfh: "bin/wfh.cjs" },
    man: ["man/wfh.1"],
    exports: {
      ".": entry(programs.index, "index"),
      "./client": entry(modules.client, "client"),
      "./browser": entry(modules.browser, "browser"),
    },
    dependencies,
  };
  const { packages, ...lock } = JSON.parse(
    readFileSync(join(root, "package-lock.json"), "utf8"),
  ) as { packages: Record<string, { dev?: boolean; link?: boolean }> };
  const inUse = Object.entries(packages).filter(([, { dev, link }]) => !dev && !link);
  const needed = inUse.filter(([path]) => path.startsWith("node_modules/"));
  const nested = inUse.find(([path]) => /^(?:packages|quality)\/.*node_modules\//.test(path));
  if (nested !== undefined) throw new Error(`Two versions are needed of one package: ${nested[0]}`);
  const locked = { "": { name, version, dependencies }, ...Object.fromEntries(needed) };
  writeJson("package.json", manifest);
  writeJson("npm-shrinkwrap.json", { ...lock, packages: locked });
}

/** The commit of this checkout, which `wfh --version` shows; undefined without git. */
function readCommit(): string | undefined {
  // Not a repository that the sources only lie in.
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(dirname(target)) };
  const words = ["rev-parse", "HEAD"];
  const { status, stdout } = spawnSync("git", words, { cwd: root, env, encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(join(draft, file), `${JSON.stringify(value, null, 2)}\n`);
}

rmSync(draft, { recursive: true, force: true });
bundle();
writeManifest();
for (const path of copied) cpSync(join(root, path), join(draft, path), { recursive: true });
for (const [name, page] of renderGuides(join(draft, "docs"))) {
  writeFileSync(join(draft, "docs", `${name}.html`), page);
}
cpSync(join(root, "packaging/npm/bin"), join(draft, "bin"), { recursive: true });
mkdirSync(join(draft, "man"));
writeFileSync(join(draft, "man/wfh.1"), await renderManPage());
if (!process.argv.includes("--no-types")) copyTypes();
rmSync(target, { recursive: true, force: true });
renameSync(draft, target);
