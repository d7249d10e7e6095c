import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { soapPost } from "@wfh/server/test/soap.ts";
import { readText, root } from "@wfh/server/test/source-files.ts";
import { findDeadLinks } from "../house/documents.ts";
import {
  environmentFor,
  installNode,
  installPacked,
  orUnreachable,
  placeReleaseData,
  run,
  runOk,
} from "./npm-project.ts";

/** The oldest Node.js that is supported. */
const oldestNode = JSON.parse(readText("package.json")).engines.node.replace(">=", "");
/** An old one, whose parser knows neither `?.` nor private fields. */
const oldNode = "12.22.12";

const launcher = "bin/wfh.cjs";
/** Longest time for a server to start, to serve and to stop, in milliseconds. */
const serverTimeoutMs = 180_000;

const packed = await orUnreachable(installPacked());
const { skip } = packed;
const { folder = "", tarball = "", files = [] } = packed.value ?? {};

test("the package has what is needed, and nothing else", { skip }, () => {
  const needed = [
    "LICENSE",
    "NOTICE",
    "README.md",
    launcher,
    "lib/wfh.cjs",
    "man/wfh.1",
    "types/packaging/npm/index.d.ts",
  ];
  for (const path of needed) assert.ok(files.includes(path), path);
  const top = new Set(files.map((path) => path.replace(/\/.*/, "")));
  assert.deepEqual([...top].toSorted(), [
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "NOTICE",
    "README.md",
    "SECURITY.md",
    "bin",
    "data",
    "docs",
    "examples",
    "lib",
    "man",
    "npm-shrinkwrap.json",
    "package.json",
    "quality",
    "types",
  ]);
  const unneeded = /\.test\.|(?<!\.d)\.ts$|^quality\/(?!bench\/RESULTS\.md$)/;
  assert.deepEqual(
    files.filter((path) => unneeded.test(path)),
    [],
  );
});

test("links of the documents in the package lead somewhere", { skip }, () => {
  assert.deepEqual(findDeadLinks(join(folder, "node_modules/web-forms-helper")), []);
});

test("publint has no findings", { skip }, async () => {
  await runOk([join(root, "node_modules/.bin/publint"), tarball, "--strict"], folder);
});

test("Are the types wrong? has no findings (decision 0073)", { skip }, async () => {
  const attw = join(root, "node_modules/.bin/attw");
  await runOk([attw, tarball, "--profile", "esm-only"], folder);
});

const resolutions = [
  ["--module", "node16"],
  ["--module", "nodenext"],
  ["--module", "esnext", "--moduleResolution", "bundler"],
];
for (const resolution of resolutions) {
  test(`types of every export resolve with ${resolution.join(" ")}`, { skip }, async () => {
    writeFileSync(
      join(folder, "use.mts"),
      `import { startService, StoreError, type RunningService } from "web-forms-helper";
       import { createClient } from "web-forms-helper/client";
       import { autofill } from "web-forms-helper/browser";
       const server: RunningService = await startService({ settings: { WFH_PORT: "0" } });
       const found = await createClient({ baseUrl: server.url }).findPlaces("10001");
       if (found.ok) found.value.places[0]?.city.toUpperCase();
       // @ts-expect-error: there is a type, and a number is not of it.
       autofill(1);
       // @ts-expect-error
       server.url = StoreError.length;`,
    );
    const tsc = [join(root, "node_modules/.bin/tsc"), "use.mts", "--noEmit", "--strict"];
    const settings = ["--target", "es2024", "--lib", "es2024,dom,dom.iterable", "--types", ""];
    await runOk([...tsc, "--skipLibCheck", "false", ...settings, ...resolution], folder);
  });
}

test("the example of docs/library.md runs with the package", { skip }, async () => {
  const program = /^```js\n([\s\S]*?)^```/m.exec(readText("docs/library.md"))?.[1] ?? "";
  const lookUp = `
    import { createClient } from "web-forms-helper/client";
    const found = await createClient({ baseUrl: server.url }).findPlaces("10001", "US");
    console.log(found.value.places[0].city);
    process.kill(process.pid, "SIGTERM");`;
  writeFileSync(join(folder, "library.mjs"), program + lookUp);
  const { out } = await runOk(["env", "WFH_PORT=0", "node", "library.mjs"], folder);
  assert.match(out, /^Listening on http:\/\/127\.0\.0\.1:\d+$/m);
  assert.match(out, /^New York$/m);
});

test("wfh without arguments shows its help", { skip }, async () => {
  const { err } = await run(["npx", "wfh"], folder);
  assert.match(err, /Usage: wfh/);
});

const oldest = await orUnreachable(installNode(oldestNode));
const servers = [
  { version: process.versions.node, node: process.execPath, skip },
  { version: oldestNode, node: oldest.value ?? "", skip: skip || oldest.skip },
];
for (const { version, node, skip } of servers) {
  test(`npx web-forms-helper serves all services on Node.js ${version}`, {
    skip,
    timeout: serverTimeoutMs,
  }, async (t) => {
    const reported = await runOk(["node", "--version"], folder, { node });
    assert.equal(reported.out.trim(), `v${version}`);
    const started = performance.now();
    const { url, stop } = await startWithNpx(node);
    const places = await fetch(`${url}/api/v1/places/US/10001`);
    assert.match(await places.text(), /New York/);
    t.diagnostic(`${Math.round(performance.now() - started)} ms to the first response`);
    const lib = join(folder, "node_modules/web-forms-helper/lib");
    // As an upgrade does under a running server.
    renameSync(lib, `${lib}.replaced`);
    const paths = [
      "",
      "wfh.js",
      "docs/rest",
      "api/v1/openapi.json",
      "api/LocationUIHelper.asmx?wsdl",
      "nothing",
    ];
    const found = await Promise.all(paths.map((path) => fetch(`${url}/${path}`)));
    renameSync(`${lib}.replaced`, lib);
    const statuses = found.map(({ status }) => status);
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 404]);
    const add = ["npx", "wfh", "accounts", "add", `carol-${version}`];
    await runOk(add, folder, { node, input: "seven slow brown bears\n" });

    const place = await call(
      `${url}/api/LocationUIHelper.asmx`,
      "http://tempuri.org/PostalCodeToCityState",
      `<PostalCodeToCityState xmlns="http://tempuri.org/"><postalCode>10001</postalCode></PostalCodeToCityState>`,
    );
    assert.match(place, /<City>New York<\/City>/);

    const endpoint = `${url}/api/WebFormsAjaxEndpoint.svc`;
    const actions = "http://tempuri.org/IWebFormsAjaxEndpoint";
    const logged = await call(
      endpoint,
      `${actions}/LogPageRequestAsync`,
      `<LogPageRequestAsync xmlns="http://tempuri.org/"><form_id>${version.replaceAll(".", "")}</form_id></LogPageRequestAsync>`,
    );
    assert.match(logged, /LogPageRequestAsyncResponse/);
    const visitor = await call(
      endpoint,
      `${actions}/LogInUser`,
      `<LogInUser xmlns="http://tempuri.org/"><userName>carol-${version}</userName><passWord>seven slow brown bears</passWord></LogInUser>`,
    );
    assert.match(visitor, /<Success>true<\/Success>/);

    await stop();
    const exported = ["npx", "wfh", "page-requests", "export", "--format", "csv"];
    const { out } = await runOk(exported, folder, { node });
    assert.match(out, new RegExp(`\\b${version.replaceAll(".", "")}\\b`));
  });
}

/** Starts the server like a newcomer, with its data in a folder; `stop` ends it all. */
async function startWithNpx(
  node: string,
  data = ".",
): Promise<{ url: string; stop(): Promise<void> }> {
  const server = spawn("npx", ["web-forms-helper"], {
    cwd: folder,
    env: { ...environmentFor(node), WFH_DATA_DIR: data, WFH_PORT: "0", WFH_DISK_RESERVE_MB: "0" },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own: npx does not pass signals on.
    detached: true,
  });
  const ended = once(server, "close");
  const stop = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    process.kill(-(server.pid ?? assert.fail()), "SIGINT");
    await ended;
  };
  after(stop);
  let said = "";
  server.stderr.on("data", (chunk) => {
    said += chunk;
  });
  const lines = createInterface({ input: server.stdout });
  const listening = new Promise<string>((resolve) => {
    lines.on("line", (line) => {
      const { msg, url } = JSON.parse(line) as { msg: string; url: string };
      if (msg === "listening") resolve(url);
    });
  });
  const failed = ended.then(() => assert.fail(`The server ended: ${said}`));
  failed.catch(() => {});
  const url = await Promise.race([listening, failed]);
  return { url, stop };
}

async function call(url: string, action: string, body: string): Promise<string> {
  const response = await fetch(url, soapPost("1.1", body, action));
  return response.text();
}

const old = await orUnreachable(installNode(oldNode));
/** The machine's own, where it is too old as well. */
const machineNode = ["/usr/bin/node", "/usr/local/bin/node"].find(existsSync);
for (const node of [old.value, machineNode]) {
  if (node === undefined) continue;
  const { out } = await run([node, "--version"], root);
  const version = out.trim().slice(1);
  if (Number.parseInt(version, 10) >= 24) continue;
  for (const name of ["wfh", "web-forms-helper"]) {
    test(`on Node.js ${version} ${name} says where to get a newer one`, async () => {
      assert.deepEqual(await run([node, `packaging/npm/bin/${name}.cjs`], root), {
        code: 69,
        out: "",
        err: `Web Forms Helper needs Node.js 24.18.1 or newer; this is ${version}. Get it at https://nodejs.org/en/download\n`,
      });
    });
  }
}

const compared = [
  { version: "24.18.0", isOld: true },
  { version: "24.9.9", isOld: true },
  { version: "24.18.1", isOld: false },
  { version: "25.0.0", isOld: false },
];
for (const { version, isOld } of compared) {
  test(`the launcher ${isOld ? "refuses" : "accepts"} Node.js ${version}`, { skip }, async () => {
    const versions = `{...process.versions,node:${JSON.stringify(version)}}`;
    const pretend = `Object.defineProperty(process,"versions",{value:${versions}})`;
    const words = ["--import", `data:text/javascript,${pretend}`, launcher, "--version"];
    const packageFolder = join(folder, "node_modules/web-forms-helper");
    const { code } = await run([process.execPath, ...words], packageFolder);
    assert.equal(code, isOld ? 69 : 0);
  });
}

test("the data of the release 0.1.0 are upgraded, and kept when the package is removed", {
  skip,
  timeout: serverTimeoutMs,
}, async () => {
  const data = join(folder, "data");
  mkdirSync(data);
  const database = join(data, "web-forms-helper.db");
  placeReleaseData(database);
  const { stop } = await startWithNpx(process.execPath, data);
  const wfh = ["env", `WFH_DATA_DIR=${data}`, "WFH_PORT=0", "npx", "wfh"];
  const { out } = await runOk([...wfh, "page-requests", "export", "--format", "csv"], folder);
  assert.match(out, /\b701\b/);
  await stop();
  assert.match((await runOk([...wfh, "doctor"], folder)).out, /^0 problems, /m);
  await runOk(["npm", "uninstall", "web-forms-helper"], folder);
  assert.equal(existsSync(join(folder, "node_modules/.bin/wfh")), false);
  assert.ok(existsSync(database));
});
