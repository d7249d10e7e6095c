import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readPackageJson } from "./debian-package.ts";
import { run } from "./stage.ts";

/*
 * Makes a release of a clean checkout, in a clone of it; changes nothing when a step fails
 * (decision 0094).
 *
 *   npm run release -- VERSION [WORD]...
 *
 * The files are in release/VERSION. Further words are added to `podman build`, such as
 * --build-arg=BASE=IMAGE. At the tag of the version it makes the files again.
 */

const root = fileURLToPath(new URL("../", import.meta.url));
const needed = ["dpkg-deb", "podman", "tar"];
const versionPattern = /^(\d+)\.(\d+)\.\d+$/;

/** Runs git and returns its trimmed output. Commits have the time of the commit before. */
function git(cwd: string, ...words: readonly string[]): string {
  const time = execFileSync("git", ["log", "-1", "--format=%ct"], { cwd, encoding: "utf8" });
  const date = `@${time.trim()} +0000`;
  const env = { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  return execFileSync("git", words, { cwd, env, encoding: "utf8" }).trim();
}

/** Says why there can be no release of this checkout; undefined where there can. */
function findObstacle(version: string, target: string): string | undefined {
  const { version: current } = readPackageJson(root);
  const tag = `v${version}`;
  if (!versionPattern.test(version)) return `"${version}" is no version, such as 0.2.0`;
  if (git(root, "status", "--porcelain") !== "") return "Commit or stash your changes first";
  const missing = needed.find((name) => spawnSync(name, ["--version"]).error !== undefined);
  if (missing !== undefined) return `${missing} is not installed; .ci/run lists Debian packages`;
  if (existsSync(target)) return `${target} is already there`;
  if (current === version) {
    const isTagged = git(root, "tag", "--points-at", "HEAD").split("\n").includes(tag);
    return isTagged ? undefined : `This checkout has version ${version}, but not the tag ${tag}`;
  }
  if (!current.endsWith("-dev")) return `package.json has version ${current}, not one with -dev`;
  if (git(root, "tag", "--list", tag) !== "") return `There is a tag ${tag} already`;
  if (/^## Unreleased\s+(?=## )/m.test(readChangelog(root))) return "CHANGELOG.md has no changes";
  return undefined;
}

function readChangelog(checkout: string): string {
  return readFileSync(join(checkout, "CHANGELOG.md"), "utf8");
}

/** The minor version after one: `"0.3.0"` for `"0.2.0"`. */
function versionAfter(version: string): string {
  const [, major, minor] = versionPattern.exec(version) ?? [];
  return `${major}.${Number(minor) + 1}.0`;
}

/**
 * Commits the version in all files that name it, and the changelog; then tags it, and commits the
 * next version with `-dev`. The clone has the tag checked out afterwards.
 */
function commitVersions(checkout: string, version: string): void {
  const planned = readPackageJson(checkout).version.replace("-dev", "");
  const next = versionAfter(version);
  const dots = planned.replaceAll(".", "\\.");
  // The second is in names of files that documents have for a later version.
  const inDevelopment = new RegExp(`${dots}([-~]dev)`, "g");
  const later = new RegExp(`(?<=web-forms-helper[-_])${dots}(?=\\.tgz|_amd64)`, "g");
  // Comments keep their examples.
  const others = [":!CHANGELOG.md", ":!docs/decisions", ":!*.ts"];
  const found = git(checkout, "grep", "-lIE", `${dots}[-~]dev`, ...others);
  const files = found.split("\n").map((path) => join(checkout, path));
  const texts = files.map((file) => readFileSync(file, "utf8").replace(later, next));
  const write = (replacement: string) => {
    for (const [index, file] of files.entries())
      writeFileSync(file, texts[index]?.replace(inDevelopment, replacement) ?? "");
  };
  const log = join(checkout, "CHANGELOG.md");
  const date = git(checkout, "log", "-1", "--date=format-local:%Y-%m-%d", "--format=%cd");

  write(version);
  writeFileSync(log, readChangelog(checkout).replace("## Unreleased", `## ${version} - ${date}`));
  git(checkout, "commit", "--quiet", "--all", `--message=release: ${version}`);
  git(checkout, "tag", "--annotate", `v${version}`, `--message=Web Forms Helper ${version}`);
  write(`${next}$1`);
  writeFileSync(log, readChangelog(checkout).replace(/^(?=## )/m, "## Unreleased\n\n"));
  git(checkout, "commit", "--quiet", "--all", `--message=release: ${next}-dev begins`);
  git(checkout, "branch", "released");
  git(checkout, "checkout", "--quiet", `v${version}`);
}

/**
 * Tests and makes everything in a clone, and then moves it here.
 *
 * @param target new folder for the files.
 * @param imageOptions words for `podman build`.
 */
function release(version: string, target: string, imageOptions: readonly string[]): void {
  const scratch = mkdtempSync(join(tmpdir(), "wfh-release-"));
  const checkout = join(scratch, "web-forms-helper");
  const made = join(scratch, "made");
  const isNew = readPackageJson(root).version !== version;
  const base = git(root, "rev-parse", "HEAD");
  try {
    git(root, "clone", "--quiet", root, checkout);
    if (isNew) commitVersions(checkout, version);
    run("npm", ["ci", "--prefer-offline", "--no-audit"], checkout);
    run("npm", ["run", "check:static"], checkout);
    run("npm", ["run", "test:full"], checkout);
    run("npm", ["run", "release:artifacts", "--", made, ...imageOptions], checkout);
    // One that was killed while it copied has left another.
    rmSync(`${target}.draft`, { recursive: true, force: true });
    cpSync(made, `${target}.draft`, { recursive: true });
    if (git(root, "rev-parse", "HEAD") !== base) throw new Error("There are new commits");
    if (isNew) {
      git(root, "pull", "--quiet", "--ff-only", checkout, "released");
      git(root, "fetch", "--quiet", checkout, "tag", `v${version}`);
    }
    renameSync(`${target}.draft`, target);
  } finally {
    rmSync(`${target}.draft`, { recursive: true, force: true });
    rmSync(scratch, { recursive: true });
  }
  console.log(`Web Forms Helper ${version} is in ${target}`);
  if (isNew) console.log(`Publish it: git push origin HEAD v${version}`);
}

const [version = "", ...imageOptions] = process.argv.slice(2);
const target = join(root, "release", version);
process.env["TZ"] = "UTC";
// Modes of files are part of archives.
process.umask(0o022);
// npm sets it for scripts, and would work there instead of in the clone.
delete process.env["npm_config_local_prefix"];
try {
  const obstacle = findObstacle(version, target);
  if (obstacle !== undefined) throw new Error(obstacle);
  release(version, target, imageOptions);
} catch (reason) {
  console.error(
    `release: nothing was changed: ${reason instanceof Error ? reason.message : reason}`,
  );
  process.exitCode = 1;
}
