import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { root } from "@wfh/server/test/source-files.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { buildOptions, type Engine, findMissingEngine, startEngine, until } from "./engine.ts";
import { makeBuildImages } from "./stand-in-images.ts";

const { version } = readManifest(root);
const skip = version.endsWith("-dev")
  ? process.env["INTEROP_REQUIRED"] === undefined && findMissingEngine()
  : "this is a release, whose tests run";
/** The time of two releases, each with its dependencies, packages and image. */
const options = { skip, timeout: 1_200_000 };
/** Number of AArch64 in the header of an ELF file. */
const aarch64 = 183;

const folder = temporaryFolder();
const git = (cwd: string, ...words: readonly string[]) =>
  execFileSync("git", words, { cwd, encoding: "utf8" }).trim();
interface Manifest {
  readonly version: string;
  readonly scripts: Record<string, string>;
}

function readManifest(checkout: string): Manifest {
  return JSON.parse(readFileSync(join(checkout, "package.json"), "utf8")) as Manifest;
}

/** Clones a checkout, and returns the clone. */
function clone(from: string, name: string): string {
  const target = join(folder, name);
  git(folder, "clone", "--quiet", from, target);
  return target;
}

/** Replaces a file of a clone in a commit. */
function commit(checkout: string, file: string, text: string): void {
  const who = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
  writeFileSync(join(checkout, file), text);
  git(checkout, ...who, "commit", "--quiet", "--all", "--message=x");
}

/** Branch, tags and files of a checkout. */
const stateOf = (checkout: string) => [
  git(checkout, "rev-parse", "HEAD"),
  git(checkout, "tag"),
  readdirSync(checkout),
];

const planned = version.replace("-dev", "");
const scriptOf = (checkout: string) => join(checkout, "scripts/release.ts");
const release = (checkout: string) =>
  engine.readOutside(process.execPath, scriptOf(checkout), planned, ...imageOptions);

let engine: Engine;
let imageOptions: readonly string[] = [];
/** A commit whose tests are left out: they are those that run here. */
let source = "";
before(async () => {
  if (skip !== false) return;
  engine = await startEngine();
  const [, build, , base, , volume] = makeBuildImages(engine);
  const words = [`--build-arg=${build}`, `--build-arg=${base}`, `--volume=${volume}`];
  imageOptions = [...words, ...buildOptions];
  source = clone(root, "source");
  const manifest = readManifest(source);
  Object.assign(manifest.scripts, { "check:static": "true", "test:full": "true" });
  commit(source, "package.json", `${JSON.stringify(manifest, null, 2)}\n`);
});
after(() => engine?.stop());

test(
  "a release is refused with changes that are not committed, and for no version",
  options,
  () => {
    const checkout = clone(source, "refused");
    const refusal = (version: string) => tryRelease(checkout, version).stderr;
    assert.match(refusal("next"), /"next" is no version/);
    writeFileSync(join(checkout, "new.txt"), "");
    assert.match(refusal(planned), /Commit or stash your changes first/);
  },
);

test("a release that fails changes nothing, and names the command", options, () => {
  const checkout = clone(source, "failing");
  commit(checkout, "package-lock.json", "{}");
  const state = stateOf(checkout);
  const { status, stderr } = tryRelease(checkout, planned);
  assert.equal(status, 1);
  assert.match(stderr, /^release: nothing was changed: Command failed: npm ci/m);
  assert.deepEqual(stateOf(checkout), state);
});

test(
  "a release commits and tags the version, and makes the same files again at its tag",
  options,
  () => {
    const first = clone(source, "first");
    release(first);
    const tag = `v${planned}`;
    assert.equal(
      git(first, "show", `${tag}:package.json`).includes(`"version": "${planned}"`),
      true,
    );
    assert.match(
      git(first, "show", `${tag}:CHANGELOG.md`),
      new RegExp(`^## ${planned} - \\d`, "m"),
    );
    assert.match(readManifest(first).version, /^\d+\.\d+\.0-dev$/);
    assert.notEqual(readManifest(first).version, `${planned}-dev`);

    const second = clone(first, "second");
    git(second, "checkout", "--quiet", tag);
    // As a release that was killed leaves it.
    mkdirSync(join(second, `release/${planned}.draft/left`), { recursive: true });
    release(second);
    const [one, two] = [first, second].map((checkout) =>
      sumsOf(join(checkout, "release", planned)),
    );
    assert.equal(one?.size, 6);
    const names = readdirSync(join(second, "release", planned));
    assert.deepEqual(names.toSorted(), ["SHA256SUMS", ...one.keys()].toSorted());
    const notes = readFileSync(join(first, "release", planned, "release-notes.md"), "utf8");
    assert.doesNotMatch(notes, /\]\((?!https?:)/);
    assert.deepEqual(two, one);
  },
);

test("a release has a package for arm64 with programs for it alone", options, () => {
  const unpacked = join(folder, "arm64");
  const made = join(folder, "first/release", planned);
  const file = readdirSync(made).find((name) => name.endsWith("_arm64.deb")) ?? "";
  execFileSync("dpkg-deb", ["--extract", join(made, file), unpacked]);
  const names = readdirSync(unpacked, { recursive: true, encoding: "utf8" });
  const programs = names.filter((name) => /\.node$|\/bin\/node$/.test(name));
  assert.equal(programs.length, 3, programs.join());
  for (const name of programs)
    assert.equal(readFileSync(join(unpacked, name)).readUInt16LE(18), aarch64, name);
});

test("a release has an image that finds a place and leaves nothing", options, async (t) => {
  const archive = join(
    folder,
    "first/release",
    planned,
    `web-forms-helper-${planned}-amd64.oci.tar`,
  );
  engine.read("podman", "load", "--input", archive);
  const started = performance.now();
  const words = ["--detach", "--name=released", "--publish=127.0.0.1:8080:8080"];
  const image = `localhost/web-forms-helper:${planned}`;
  engine.read("podman", "run", ...words, image);
  const path = "/api/LocationUIHelper.asmx/PostalCodeToCityState?postalCode=10001";
  await until(() => /New York/.test(engine.run("curl", "-sS", `http://127.0.0.1:8080${path}`).out));
  t.diagnostic(`${Math.round(performance.now() - started)} ms to the first response`);
  const doctor = engine.run("podman", "exec", "released", "wfh", "doctor");
  assert.match(doctor.out, /^0 problems, /m);
  engine.read("podman", "rm", "--force", "--volumes", "released");
  engine.read("podman", "image", "rm", image);
  assert.equal(engine.read("podman", "volume", "ls", "--quiet"), "");
});

/** Runs a release that fails before it makes an image. */
function tryRelease(checkout: string, version: string) {
  return spawnSync(process.execPath, [scriptOf(checkout), version], { encoding: "utf8" });
}

/** Sums of the files of a release, by their names; they are those of the files. */
function sumsOf(made: string): ReadonlyMap<string, string> {
  const lines = readFileSync(join(made, "SHA256SUMS"), "utf8").trim().split("\n");
  return new Map(
    lines.map((line) => {
      const [sum = "", name = ""] = line.split("  ");
      const content = readFileSync(join(made, name));
      assert.equal(createHash("sha256").update(content).digest("hex"), sum, name);
      return [name, sum];
    }),
  );
}
