import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeDebianPackage, packageVersionOf, readPackageJson } from "./debian-package.ts";
import { packProgram, run, stage } from "./stage.ts";

/*
 * Makes all files of a release from this checkout (decision 0094): the same bytes for one commit.
 *
 *   node scripts/release-artifacts.ts FOLDER [WORD]...
 *
 * Further words are added to `podman build`, such as --build-arg=BASE=IMAGE.
 */

/** Architectures of Debian packages, and how Node.js names them. */
const architectures = { amd64: "x64", arm64: "arm64" };
const root = fileURLToPath(new URL("../", import.meta.url));
/** As npm, dpkg-deb, podman and tar write it: the time of the commit, in seconds since 1970. */
const epoch = read("git", "log", "-1", "--format=%ct");
const { name, version, repository } = readPackageJson(root);

function read(command: string, ...words: readonly string[]): string {
  return execFileSync(command, words, { cwd: root, encoding: "utf8" }).trim();
}

/** Makes the container image as an OCI archive, on base images by their digests. */
function makeImage(output: string, scratch: string, options: readonly string[]): void {
  const tag = `localhost/${name}:${version}`;
  const folder = join(scratch, "image");
  const base = pinImage("BASE", options);
  run("podman", [
    "build",
    "--file=Containerfile",
    "--format=oci",
    "--layers=false",
    "--identity-label=false",
    `--timestamp=${epoch}`,
    `--tag=${tag}`,
    ...options,
    `--build-arg=BUILD=${pinImage("BUILD", options)}`,
    `--build-arg=BASE=${base}`,
    `--build-arg=REVISION=${read("git", "rev-parse", "HEAD")}`,
    `--label=org.opencontainers.image.base.name=${base.replace(/@.*/, "")}`,
    `--label=org.opencontainers.image.base.digest=${base.replace(/.*@/, "")}`,
    root,
  ]);
  run("podman", ["save", "--format=oci-dir", `--output=${folder}`, tag]);
  run("podman", ["image", "rm", tag]);
  const owner = ["--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"];
  const file = join(output, `${name}-${version}-amd64.oci.tar`);
  run("tar", ["--sort=name", `--mtime=@${epoch}`, ...owner, "-C", folder, "-cf", file, "."]);
}

/** Name and digest of an image that the Containerfile or a `--build-arg` names. */
function pinImage(argument: string, options: readonly string[]): string {
  const prefix = `--build-arg=${argument}=`;
  const given = options.findLast((word) => word.startsWith(prefix))?.slice(prefix.length);
  const usual = new RegExp(`^ARG ${argument}=(.+)$`, "m");
  const image = given ?? usual.exec(readFileSync(join(root, "Containerfile"), "utf8"))?.[1] ?? "";
  if (!image.startsWith("localhost/")) run("podman", ["pull", image]);
  const digest = read("podman", "image", "inspect", "--format={{.Digest}}", image);
  return `${image.replace(/(?::[^/@]+)?(?:@.*)?$/, "")}@${digest}`;
}

/** Lists all files of a folder with their sums. */
function sumFiles(folder: string): string {
  const files = readdirSync(folder).toSorted();
  return execFileSync("sha256sum", files, { cwd: folder, encoding: "utf8" });
}

/** Parts of a bill of materials that are set here. */
interface BillOfMaterials {
  serialNumber: string;
  readonly metadata: { timestamp: string; readonly component: { name: string } };
  readonly components: object[];
}

/**
 * Writes the bill of materials of npm, in CycloneDX, with the Node.js that packages have.
 *
 * @param sums of the other files, of which the serial number is made: a UUID of version 8.
 */
function writeBillOfMaterials(output: string, program: string, sums: string): void {
  const words = ["sbom", "--sbom-format=cyclonedx", "--sbom-type=application", "--omit=dev"];
  const text = execFileSync("npm", words, { cwd: program, encoding: "utf8" });
  const bill = JSON.parse(text) as BillOfMaterials;
  const hex = createHash("sha256").update(sums).digest("hex");
  const uuid = hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, "$1-$2-8$3-8$4-$5");
  bill.serialNumber = `urn:uuid:${uuid}`;
  // npm gives it the name of the folder.
  bill.metadata.component.name = name;
  bill.metadata.timestamp = new Date(Number(epoch) * 1000).toISOString();
  const node = process.versions.node;
  bill.components.push({
    type: "platform",
    name: "node",
    version: node,
    purl: `pkg:generic/node@${node}`,
  });
  writeFileSync(join(output, `${name}-${version}.cdx.json`), `${JSON.stringify(bill, null, 2)}\n`);
}

/** The newest section of the changelog. Its links lead to the tag, or are plain text. */
function readNotes(): string {
  const [, section = ""] = readFileSync(join(root, "CHANGELOG.md"), "utf8").split(/^## .*\n+/m);
  const address = repository?.url.replace(/^git\+|\.git$/g, "");
  return section.replace(/\[([^\]]+)\]\((?!\w+:)([^)]+)\)/g, (_link, words, path) =>
    address === undefined ? words : `[${words}](${address}/blob/v${version}/${path})`,
  );
}

function makeArtifacts(output: string, imageOptions: readonly string[]): void {
  process.env["SOURCE_DATE_EPOCH"] = epoch;
  mkdirSync(output);
  const scratch = mkdtempSync(join(tmpdir(), "wfh-release-"));
  try {
    const tarball = packProgram(output);
    for (const [architecture, cpu] of Object.entries(architectures)) {
      const program = join(scratch, architecture);
      stage(program, tarball, cpu);
      makeDebianPackage({ program, output, version: packageVersionOf(root), architecture });
    }
    makeImage(output, scratch, imageOptions);
    writeBillOfMaterials(output, join(scratch, "amd64"), sumFiles(output));
    writeFileSync(join(output, "release-notes.md"), readNotes());
    writeFileSync(join(output, "SHA256SUMS"), sumFiles(output));
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

const [output = "", ...imageOptions] = process.argv.slice(2);
makeArtifacts(output, imageOptions);
