import { execFileSync, type StdioOptions } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { run, stageCheckout } from "./stage.ts";

/*
 * Makes the Debian package (decision 0074) and prints its path.
 *
 *   node scripts/debian-package.ts --output FOLDER
 */

const root = fileURLToPath(new URL("../", import.meta.url));
const name = "web-forms-helper";
const maintainerScripts = ["postinst", "prerm", "postrm"];
/** Takes 1 s of processor time for 47 MB; xz takes 98 s for 33 MB. */
const compression = ["-Zzstd", "-z3"];
/** Guides for readers, with all files that they link to. */
const guides = [
  "docs",
  "examples",
  "quality",
  "README.md",
  "CHANGELOG.md",
  "NOTICE",
  "LICENSE",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
];
/** Where shells look for completions, below `/usr/share`. */
const completions = {
  bash: "bash-completion/completions/wfh",
  zsh: "zsh/vendor-completions/_wfh",
  fish: "fish/vendor_completions.d/wfh.fish",
};
const settingsFile = `etc/${name}/settings.toml`;

/** Contents of a package, and its destination. */
export interface DebianPackageOptions {
  /** Folder with the staged program, whose `package.json` has the version. It is not changed. */
  readonly program: string;
  /** Existing folder for the package. */
  readonly output: string;
  /** Version of the package; by default that of the program. */
  readonly version?: string;
  /** Architecture of the program; by default that of this machine. */
  readonly architecture?: string;
}

/** Makes `web-forms-helper_VERSION_ARCHITECTURE.deb`; returns its path. */
export function makeDebianPackage({ program, output, ...given }: DebianPackageOptions): string {
  const version = given.version ?? versionOf(program);
  const { author: maintainer } = readPackageJson(program);
  const own = () => execFileSync("dpkg", ["--print-architecture"], { encoding: "utf8" }).trim();
  const architecture = given.architecture ?? own();
  const scratch = mkdtempSync(join(tmpdir(), "wfh-deb-"));
  try {
    const tree = join(scratch, "tree");
    layOut(tree, program, renderChangelog(version, maintainer));
    addControl(tree, { VERSION: version, ARCHITECTURE: architecture, MAINTAINER: maintainer });
    const file = join(output, `${name}_${version}_${architecture}.deb`);
    run("dpkg-deb", ["--root-owner-group", ...compression, "--build", tree, file]);
    return file;
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** Version of the program in a folder, for Debian: `0.2.0~dev` comes before `0.2.0`. */
function versionOf(folder: string): string {
  return readPackageJson(folder).version.replace("-", "~");
}

interface PackageJson {
  readonly name: string;
  readonly version: string;
  readonly author: string;
  readonly repository?: { readonly url: string };
}

/** The package.json of a checkout or a program. */
export function readPackageJson(folder: string): PackageJson {
  return readJson(join(folder, "package.json"));
}

/**
 * The version of a package of a checkout: that of its program at the tag of a release, and without
 * git; otherwise with the time and name of the commit, so that apt takes a later build for newer:
 * `"0.2.0~dev+git20261122.201052.bb56d78"`.
 */
export function packageVersionOf(checkout: string): string {
  const version = versionOf(checkout);
  try {
    if (git("tag", "--points-at", "HEAD").split("\n").includes(`v${version}`)) return version;
    const commit = "--format=%cd.%h";
    return `${version}+git${git("log", "-1", "--date=format-local:%Y%m%d.%H%M%S", commit)}`;
  } catch {
    return version;
  }

  function git(...words: readonly string[]): string {
    // Not a repository that the checkout only lies in.
    const env = { ...process.env, TZ: "UTC", GIT_CEILING_DIRECTORIES: dirname(resolve(checkout)) };
    const stdio: StdioOptions = ["ignore", "pipe", "ignore"];
    return execFileSync("git", words, { cwd: checkout, env, stdio, encoding: "utf8" }).trim();
  }
}

/** The files of the package at their places, with modes for root as the owner. */
function layOut(tree: string, program: string, changelog: string): void {
  const lib = join(tree, "usr/lib", name);
  const doc = join(tree, "usr/share/doc", name);
  mkdirSync(dirname(lib), { recursive: true });
  mkdirSync(doc, { recursive: true });
  run("cp", ["--archive", "--no-preserve=ownership", program, lib]);
  writeFileSync(join(doc, "copyright"), renderCopyright(lib));
  for (const guide of guides) {
    renameSync(join(lib, guide), join(doc, guide));
  }
  // The server shows its documents to visitors.
  symlinkSync(relative(lib, join(doc, "docs")), join(lib, "docs"));
  rmSync(join(lib, "bin/node.LICENSE"));
  writeFileSync(join(doc, "changelog.gz"), gzipSync(changelog, { level: 9 }));
  const share = join(tree, "usr/share");
  mkdirSync(join(share, "man/man1"), { recursive: true });
  const manual = readFileSync(join(lib, "man/wfh.1"));
  writeFileSync(join(share, "man/man1/wfh.1.gz"), gzipSync(manual, { level: 9 }));
  rmSync(join(lib, "man"), { recursive: true });
  for (const [shell, path] of Object.entries(completions)) {
    mkdirSync(dirname(join(share, path)), { recursive: true });
    const words = [join(lib, "bin/wfh.cjs"), "completion", shell];
    writeFileSync(join(share, path), execFileSync(process.execPath, words));
  }
  place("packaging/debian/wfh", join(tree, "usr/bin/wfh"));
  for (const unit of ["wfh.service", "web-forms-helper.socket", "web-forms-helper@.service"]) {
    place(`examples/${unit}`, join(tree, "usr/lib/systemd/system", unit));
  }
  place("examples/settings.toml", join(tree, settingsFile));
  run("chmod", ["--recursive", "u=rwX,go=rX", tree]);
  // It may get the password of a database.
  chmodSync(join(tree, settingsFile), 0o640);
}

function place(source: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(join(root, source), target);
}

function addControl(tree: string, values: Readonly<Record<string, string>>): void {
  const paths = readdirSync(tree, { recursive: true, encoding: "utf8" });
  const files = paths.map((path) => lstatSync(join(tree, path))).filter((file) => file.isFile());
  // As Debian counts it: a kibibyte for each that is begun, and for each other path.
  const kibibytes = files.reduce(
    (sum, { size }) => sum + Math.max(0, Math.ceil(size / 1024) - 1),
    paths.length,
  );
  const control = join(tree, "DEBIAN");
  mkdirSync(control, { mode: 0o755 });
  const fields = { ...values, INSTALLED_SIZE: String(kibibytes) };
  const template = readFileSync(join(root, "packaging/debian/control"), "utf8");
  const text = template.replace(/@(\w+)@/g, (_, field) => fields[field as keyof typeof fields]);
  writeFileSync(join(control, "control"), text);
  writeFileSync(join(control, "conffiles"), `/${settingsFile}\n`);
  for (const script of maintainerScripts) {
    place(`packaging/debian/${script}`, join(control, script));
    chmodSync(join(control, script), 0o755);
  }
}

/** Licences of the program, its data, Node.js and each dependency. */
function renderCopyright(lib: string): string {
  const read = (path: string) => readFileSync(join(lib, path), "utf8").trim();
  const { packages } = readJson<{ packages: Record<string, Dependency> }>(
    join(lib, "node_modules/.package-lock.json"),
  );
  const dependencies = Object.entries(packages).map(([path, { version, license }]) => {
    const file = readdirSync(join(lib, path)).find((entry) => /^licen[cs]e/i.test(entry));
    const title = `${path.replace("node_modules/", "")} ${version}: ${license}`;
    return file === undefined ? title : `${title}\n\n${read(join(path, file))}`;
  });
  const parts = [read("LICENSE"), read("NOTICE"), ...dependencies, read("bin/node.LICENSE")];
  return `${parts.join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

interface Dependency {
  readonly version: string;
  readonly license: string;
}

function renderChangelog(version: string, maintainer: string): string {
  const seconds = process.env["SOURCE_DATE_EPOCH"];
  const date = seconds === undefined ? new Date() : new Date(Number(seconds) * 1000);
  const shown = date.toUTCString().replace("GMT", "+0000");
  return `${name} (${version}) stable; urgency=medium

  * See /usr/share/doc/${name}/CHANGELOG.md

 -- ${maintainer}  ${shown}
`;
}

function readJson<Value>(file: string): Value {
  return JSON.parse(readFileSync(file, "utf8")) as Value;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { output: { type: "string", default: "." } } });
  const scratch = mkdtempSync(join(tmpdir(), "wfh-program-"));
  try {
    const program = join(scratch, "program");
    stageCheckout(program);
    if (!existsSync(values.output)) mkdirSync(values.output, { recursive: true });
    console.log(
      makeDebianPackage({ program, output: values.output, version: packageVersionOf(root) }),
    );
  } finally {
    rmSync(scratch, { recursive: true });
  }
}
