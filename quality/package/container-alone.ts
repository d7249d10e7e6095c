import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readText } from "@wfh/server/test/source-files.ts";
import {
  buildImage,
  checkHealth,
  curl,
  engine,
  image,
  inspect,
  pageRequestOf,
  readStatus,
  skip,
  soap,
  version,
} from "./built-image.ts";
import { until } from "./engine.ts";
import { documentedCommand, documentedExample } from "./install-document.ts";
import { placeReleaseData } from "./npm-project.ts";

/** Largest size of the image, uncompressed, in bytes. */
const imageBytesMax = 200_000_000;
const newer = "web-forms-helper:99.0.0";

const address = "http://127.0.0.1:8080";
const asmx = `${address}/api/LocationUIHelper.asmx`;

test("the image is built as the document says", { skip }, buildImage);

/** Starts it as the document says, but for the image and options of the test. */
const start = async (name = image, ...options: readonly string[]) => {
  const words = documentedCommand("docker run --detach");
  // By default Podman has more temporary folders than Docker.
  const strict = ["--read-only-tmpfs=false", ...options];
  engine.read("podman", ...words.slice(1, -1), ...strict, name);
  await until(() => curl("--fail", `${address}/healthz`).code === 0);
};
const stop = () => {
  engine.read("podman", ...documentedCommand("docker stop").slice(1));
  assert.equal(inspect("wfh", "{{.State.ExitCode}}"), "0");
  engine.read("podman", ...documentedCommand("docker rm").slice(1));
};
const wfh = (...words: readonly string[]) => engine.run("podman", "exec", "wfh", "wfh", ...words);

test("the image is below 200 MB, without a shell, and says what it is", { skip }, (t) => {
  const bytes = Number(inspect(image, "{{.Size}}"));
  assert.ok(bytes < imageBytesMax, `${bytes} bytes`);
  assert.equal(inspect(image, "{{.User}}"), "65532:65532");
  const label = (name: string) =>
    inspect(image, `{{index .Config.Labels "org.opencontainers.image.${name}"}}`);
  assert.deepEqual([label("version"), label("licenses")], [version, "MIT"]);
  const folder = engine.read("podman", "image", "mount", image);
  const used = Number.parseInt(engine.read("du", "-s", "--block-size=1", folder), 10);
  assert.ok(used < imageBytesMax, `${used} bytes`);
  assert.notEqual(engine.run("sh", "-c", `ls ${folder}/bin/*sh ${folder}/bin/env`).code, 0);
  t.diagnostic(`${bytes} bytes, ${used} bytes on the disk`);
});

test("the container responds over SOAP and REST, is healthy, and writes only to its volume", {
  skip,
}, async (t) => {
  writeFileSync(join(engine.folder, "wfh.env"), documentedExample("WFH_BASE_URL="));
  const started = performance.now();
  await start();
  assert.match(curl(...soap, asmx).out, /<City>New York<\/City>/);
  t.diagnostic(`${Math.round(performance.now() - started)} ms to the first response`);
  assert.match(curl(`${address}/api/v1/places/US/10001`).out, /"city":"New York"/);
  assert.equal(checkHealth("wfh"), 0);
  // Podman itself puts the addresses of hosts there.
  assert.match(engine.read("podman", "diff", "wfh"), /^(?:C \/etc)?$/);
  const log = engine.read("podman", "logs", "wfh").split("\n");
  assert.ok(log.every((line) => JSON.parse(line)));
});

test("the container is not root, and has no rights and no shell", { skip }, () => {
  const status = readStatus("wfh");
  assert.match(status, /^Uid:\t65532\t65532\t65532\t65532$/m);
  assert.match(status, /^CapEff:\t0+$/m);
  assert.match(status, /^CapBnd:\t0+$/m);
  assert.match(status, /^NoNewPrivs:\t1$/m);
  assert.notEqual(engine.run("podman", "exec", "wfh", "sh", "-c", "true").code, 0);
});

test("wfh doctor finds in the container what the document says", { skip }, (t) => {
  const { code, out } = wfh("doctor");
  assert.equal(code, 0, out);
  const last = out.trim().split("\n").at(-1) ?? "";
  assert.match(last, /^0 problems, 0 warnings, /, out);
  assert.ok(readText("docs/install.md").includes(last), last);
  t.diagnostic(last);
});

test("SIGTERM drains the container, which ends with exit code 0", { skip }, async () => {
  const stopped = engine.start("podman", ...documentedCommand("docker stop").slice(1));
  await until(() => curl(`${address}/readyz`).out.includes("draining"));
  assert.match(curl(...soap, asmx).out, /New York/);
  assert.equal((await stopped).code, 0);
  stop();
});

test("a newer image keeps the data of the volume", { skip }, async () => {
  const label = "LABEL org.opencontainers.image.version=99.0.0";
  writeFileSync(join(engine.folder, "Newer"), `FROM ${image}\n${label}\n`);
  engine.build("--format=docker", "--file=Newer", `--tag=${newer}`);
  await start();
  const logged = curl(...pageRequestOf("7310"), `${address}/api/v1/page-requests`);
  assert.equal(logged.code, 0, logged.out);
  assert.equal(wfh("backup", "before-upgrade").code, 0);
  engine.read("podman", ...documentedCommand("docker cp").slice(1));
  stop();
  await start(newer);
  assert.match(inspect("wfh", "{{.ImageName}}"), /99\.0\.0$/);
  assert.match(wfh("page-requests", "export", "--format", "csv").out, /\b7310\b/);
  stop();
});

test("the data of the release 0.1.0 are upgraded and kept", { skip }, async () => {
  const database = "web-forms-helper.db";
  const data = engine.read("podman", "volume", "inspect", "--format={{.Mountpoint}}", "wfh");
  rmSync(join(data, database));
  placeReleaseData(join(data, database));
  engine.read("chown", "--recursive", "65532:65532", data);
  await start();
  assert.match(wfh("page-requests", "export", "--format", "csv").out, /\b701\b/);
  assert.match(wfh("doctor").out, /^0 problems, /m);
  stop();
});

test("without its database the container is not healthy", { skip }, async () => {
  await start(image, "--env=WFH_DATABASE_URL=postgres://wfh@127.0.0.1:1/wfh");
  assert.equal(checkHealth("wfh"), 1);
  assert.match(curl(...soap, asmx).out, /New York/);
  stop();
});

test("a folder of another user is refused with the reason", { skip }, () => {
  const folder = join(engine.folder, "of-root");
  mkdirSync(folder);
  const { code, err } = engine.run("podman", "run", `--volume=${folder}:/var/lib/wfh`, image);
  assert.equal(code, 78);
  assert.match(err, /^The file of secret keys .* Permission denied: .*\n.*\(chown\)/m);
});

test("its removal leaves nothing but the image", { skip }, async () => {
  await start();
  // Other tests need the image.
  engine.script(documentedExample("docker volume rm").replace(/^docker image rm .*$/m, ""));
  assert.equal(engine.read("podman", "volume", "ls", "--quiet", "--filter", "name=^wfh$"), "");
  assert.equal(engine.run("podman", "container", "exists", "wfh").code, 1);
});
