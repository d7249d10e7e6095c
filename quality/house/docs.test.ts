import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { posix } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { loadProgram } from "@wfh/cli/program.ts";
import { startWfh, type WfhProcess } from "@wfh/cli/test/wfh-process.ts";
import { tools } from "@wfh/migrate/tools.ts";
import { listFiles, readFiles, readText, root } from "@wfh/server/test/source-files.ts";
import { temporaryDatabase } from "@wfh/server/test/test-server.ts";
import {
  anchorsOf,
  citationsIn,
  commandLinesOf,
  examplesOf,
  isResponse,
  linksOf,
  npmScriptsIn,
  quotesOf,
  settingsIn,
  wireCasesIn,
} from "./documents.ts";

/** Where the documents say that the server is. */
const shownUrl = "http://127.0.0.1:8080";
/** The same of its admin listener. */
const shownAdminUrl = "http://127.0.0.1:8081";
/** Where the server is, as its log says. */
interface Addresses {
  readonly url: string;
  readonly adminUrl: string;
}

/** Start of a command in the documents, and the script that npm runs for it. */
const wfh = { shown: "npm run -s wfh --", script: scriptOf("wfh") };
/** Longest time of one example, in milliseconds; only one that hangs comes near it. */
const exampleTimeoutMs = 60_000;

const paths = listFiles();
const markdown = readFiles(paths.filter((path) => path.endsWith(".md")));
const guides = markdown.filter(({ path }) =>
  /^(?:README|ARCHITECTURE|CONTRIBUTING)\.md$|^docs\/[^/]+\.md$/.test(path),
);
const library = readFiles(
  paths.filter((path) => /^packages\/\w+\/src\/.*(?<!\.test)\.ts$/.test(path)),
);

/** Everything but settings of the product, which would change what the examples answer. */
const environment = {
  WFH_DATABASE_URL: temporaryDatabase(),
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("WFH_"))),
  PATH: `${root}node_modules/.bin:${process.env["PATH"]}`,
};

/** A process or two for each: two thirds of a minute. */
const skip = process.env["TEST_LEVEL"] === "quick" && "npm run test:full runs the examples";
const clientModule = pathToFileURL(`${root}packages/browser/src/client/client.ts`).href;
describe("examples", { skip }, () => {
  const examples = guides.flatMap(examplesOf);
  let server: WfhProcess;
  let addresses: Addresses = { url: "", adminUrl: "" };

  before(async () => {
    const settings = { WFH_DATABASE_URL: environment.WFH_DATABASE_URL, WFH_ADMIN_PORT: "0" };
    server = startWfh(["serve"], { settings });
    const { url, adminUrl } = await server.line(({ msg }) => msg === "listening");
    addresses = { url: String(url), adminUrl: String(adminUrl) };
  });
  after(() => server.kill());

  test("README.md shows one for each of the four bindings", () => {
    const calls = examples.filter(
      ({ place, command }) => /^README/.test(place) && /curl/.test(command),
    );
    assert.ok(calls.length >= 4, `README.md has ${calls.length} examples with curl`);
  });
  test("the program in docs/log-in.md reads ids of 64 bits with all their digits", async () => {
    const add = `accounts add dora --record 9007199254740993 --contact 7310248655120934177`;
    await run(`echo 'five small grey pigeons' | ${wfh.script} ${add}`, addresses);
    const program = scriptIn("docs/log-in.md")
      .replace("https://forms.example.org", addresses.url)
      .replace('"bob"', '"dora"');
    const print = "console.log(visitor.Contact_Id, visitor.Record_Id);";
    const found = await promisify(execFile)(process.execPath, [
      "--input-type=module",
      "--eval",
      program + print,
    ]);
    assert.equal(found.stdout, "7310248655120934177 9007199254740993\n");
  });

  for (const [code, printed] of [
    ["10001", "New York, NY"],
    ["00000", "unknown postal code"],
  ] as const) {
    test(`the program in docs/from-a-page.md prints ${printed} for ${code}`, async () => {
      const program = /^import \{ createClient[\s\S]*?(?=^```)/m.exec(
        readText("docs/from-a-page.md"),
      );
      const text = (program?.[0] ?? "")
        .replace("web-forms-helper/client", clientModule)
        .replace("https://forms.example.org", addresses.url)
        .replace('"10001"', `"${code}"`);
      const found = await promisify(execFile)(process.execPath, [
        "--input-type=module",
        "--eval",
        text,
      ]);
      assert.equal(found.stdout, `${printed}\n`);
    });
  }

  const first = examples.find(({ command }) => command.includes(wfh.shown));
  for (const example of examples) {
    test(`${example.place} answers as shown`, async () => {
      const meant = example === first ? example.command : withoutNpm(example.command);
      const { url } = addresses;
      const found = (await run(meant, addresses)).replaceAll(url, shownUrl);
      const isSame = isResponse(example.form, example.response, found);
      assert.ok(isSame, `shown:\n${example.response}\nfound:\n${found}`);
    });
  }
});

/** The first program of a document in JavaScript. */
function scriptIn(path: string): string {
  return /^```js\n([\s\S]*?)^```/m.exec(readText(path))?.[1] ?? "";
}

/** Replaces npm by its script: npm's start takes longer than most commands. The first uses npm. */
function withoutNpm(command: string): string {
  return command.replaceAll(wfh.shown, wfh.script);
}

async function run(command: string, { url, adminUrl }: Addresses): Promise<string> {
  const options = { cwd: root, env: environment, timeout: exampleTimeoutMs };
  const script = command.replaceAll(shownUrl, url).replaceAll(shownAdminUrl, adminUrl);
  const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", script], options);
  return stdout;
}

/** The addresses in the log. What follows is read on, so that the server never waits. */
test("links lead somewhere", () => {
  const broken = markdown.flatMap(({ path, text }) =>
    linksOf(text)
      .filter(({ path: target, anchor }) => {
        const file = target === "" ? path : posix.join(posix.dirname(path), target);
        if (anchor !== undefined && file.endsWith(".md") && paths.includes(file)) {
          return !anchorsOf(readText(file)).has(anchor);
        }
        const isFolder = paths.some((other) => other.startsWith(`${file.replace(/\/$/, "")}/`));
        return !paths.includes(file) && !isFolder;
      })
      .map(({ line, path: target, anchor }) => `${path}:${line} ${target}#${anchor ?? ""}`),
  );
  assert.deepEqual(broken, []);
});

test("ARCHITECTURE.md names files that are there", () => {
  const named = readText("ARCHITECTURE.md").matchAll(/`([\w.-]+(?:\/[\w.-]+)*\/[\w.-]+\.\w+)`/g);
  const missing = [...named]
    .map(([, path = ""]) => path)
    .filter((path) => {
      const inPackage = `packages/${path.replace("/", "/src/")}`;
      return ![path, `packages/server/src/${path}`, inPackage].some((one) => paths.includes(one));
    });
  assert.deepEqual(missing, []);
});

for (const { place, path, parts } of guides.flatMap(quotesOf)) {
  test(`${place} shows ${path} as it is`, () => {
    let rest = `\n${readText(path)}`;
    for (const part of parts) {
      const found = rest.indexOf(part);
      assert.notEqual(found, -1, `is not in the file, or not there:\n${part}`);
      rest = rest.slice(found + part.length);
    }
  });
}

test("the documents name the settings that there are, and all of them", () => {
  const server = library.filter(({ path }) => path.startsWith("packages/server/src/server/"));
  // The long form of the attacks has some of its own.
  const attacks = readFiles(paths.filter((path) => /^quality\/hostile\//.test(path)));
  const known = new Set([...server, ...attacks].flatMap(({ text }) => settingsIn(text)));
  const named = new Set(guides.flatMap(({ text }) => settingsIn(text)));
  assert.notEqual(known.size, 0);
  assert.deepEqual([...named].toSorted(), [...known].toSorted());
});

function scriptOf(name: string): string {
  const { scripts = {} } = JSON.parse(readText("package.json")) as {
    readonly scripts?: Readonly<Record<string, string>>;
  };
  return scripts[name] ?? "";
}

test("the documents name scripts that there are", () => {
  const unknown = guides.flatMap(({ path, text }) =>
    npmScriptsIn(text)
      .filter((script) => scriptOf(script) === "")
      .map((script) => `${path}: ${script}`),
  );
  assert.deepEqual(unknown, []);
});

test("commands in README.md are spelled as they work in a checkout", () => {
  const commands = guides
    .filter(({ path }) => path === "README.md")
    .flatMap(commandLinesOf)
    .filter(({ words }) => words[0] !== wfh.script);
  assert.notEqual(commands.length, 0);
  assert.deepEqual(
    commands.filter(({ spelling }) => spelling !== wfh.shown),
    [],
  );
});

const program = await loadProgram({ out: () => {}, err: () => {} }, () => {}, tools);
for (const { place, words } of guides.flatMap(commandLinesOf)) {
  test(`${place} shows a command with options that exist: wfh ${words.join(" ")}`, () => {
    let command = program;
    let rest = words;
    for (let name = rest[0]; command.commands.length > 0; name = rest[0]) {
      if (name === "--help" || name === "--version") return;
      const found = command.commands.find((one) => one.name() === name);
      assert.ok(found, `there is no command ${name}`);
      command = found;
      rest = rest.slice(1);
    }
    const options = command.options.flatMap(({ long, short }) => [long, short]);
    for (const word of rest) {
      if (/^--?[a-z]/.test(word)) assert.ok(options.includes(word.split("=")[0]), word);
    }
  });
}

/** The index of decisions: each page with the numbers of its sections. */
const decisions = readText("docs/decisions/README.md")
  .split("\n")
  .flatMap((row) => {
    const [, path, numbers] = /^\| \[.*\]\((\S+)\) \| .* \| ([\d, ]+) \|$/.exec(row) ?? [];
    return (numbers?.split(", ") ?? []).map((number) => ({ number, path }));
  });

test("sections of the contract and decisions that are cited exist", () => {
  const sections = readText("docs/contract.md").matchAll(/^#+ (\d+(?:\.\d+)?)\b/gm);
  const known = new Set([...sections].map(([, number]) => number));
  for (const { number } of decisions) known.add(number);
  const sources = readFiles(paths.filter((path) => /\.(?:[cm]?[jt]s|sh|md)$/.test(path)));
  const missing = sources.flatMap(({ path, text }) =>
    citationsIn(text)
      .filter((number) => !known.has(number))
      .map((number) => `${path}: ${number}`),
  );
  assert.deepEqual(missing, []);
});

test("the index of decisions has every number that a page has, and no other", () => {
  const pages = markdown.filter(({ path }) => /^docs\/decisions\/(?!README)/.test(path));
  const numbered = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/^## .*$/gm)].flatMap(([heading]) => {
      const numbers = /\((\d{4}(?:, \d{4})*)\)$/.exec(heading)?.[1]?.split(", ") ?? [heading];
      return numbers.map((number) => `${number} ${posix.basename(path)}`);
    }),
  );
  const rows = decisions.map(({ number, path }) => `${number} ${path}`);
  assert.notEqual(rows.length, 0);
  assert.deepEqual(rows.toSorted(), [...new Set(numbered)].toSorted());
});

test("wire cases that are cited exist", () => {
  const cases = paths.flatMap(
    (path) => /^packages\/server\/test\/conformance\/([^/]+)\/request\.http$/.exec(path)?.[1] ?? [],
  );
  const cited = [...library, ...markdown].flatMap(({ path, text }) =>
    wireCasesIn(text).map((name) => ({ path, name })),
  );
  assert.notEqual(cited.length, 0);
  const missing = cited.filter(({ name }) => !cases.includes(name));
  assert.deepEqual(missing, []);
});
