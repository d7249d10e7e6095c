import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  arrivalMs,
  fullPageRequest,
  openTestStore,
  pageRequest,
} from "@wfh/server/test/store/sample.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { openCliFixture } from "./cli-fixture.ts";
import { emulator, noTerminal } from "./terminal-emulator.ts";

const folder = temporaryFolder();
const file = join(folder, "a.db");
const fixture = openCliFixture(`sqlite:${file}`);
after(() => fixture.close());

/** Runs a command in a process of its own: exports go to the standard output of the process. */
function run(words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["packaging/npm/wfh.ts", "page-requests", ...words],
    { encoding: "utf8", env: { ...process.env, WFH_DATABASE_URL: fixture.databaseUrl } },
  );
  return { code: status, out: stdout, err: stderr };
}

const quoted = '"https://forms.example.org/a?b=%7e&c=""\\{},NULL;\r\n\t😀é"';
const columns =
  "id,arrivedAt,requestId,formId,transId,pageUrl,applicationInstanceId,isAuthenticated,contactId,screenWidth,screenHeight,browserUserAgentId,crossAppSessionId,sessionDate,sessionDateMs,conversionHitId,overrideRequestMethodId,network,userAgent,sessionId,visitorContactId,visitorLoggedIn,eventKey,referrer,kind,step";
const heading = `"${columns.replaceAll(",", '","')}"\r\n`;

before(async () => {
  const { store } = await openTestStore(`sqlite:${file}`);
  await store.pageRequests.append(fullPageRequest);
  await store.pageRequests.append(
    pageRequest({
      arrivedAtMs: arrivalMs + 86_400_000,
      pageUrl: " ＝1+1; =2,\n＠a-3",
      formId: -5n,
    }),
  );
  await store.close();
});

describe("wfh page-requests", () => {
  test("export --format ndjson writes every digit and every character", () => {
    const { code, out, err } = run(["export", "--format", "ndjson", "--to", "2026-11-22"]);
    assert.equal(err, "");
    assert.equal(code, 0);
    assert.match(out, /"formId":9007199254740993,"transId":-9223372036854775808,/);
    const row = JSON.parse(out);
    assert.equal(row.pageUrl, fullPageRequest.pageUrl);
    assert.equal(row.arrivedAt, "2026-11-21T10:00:00.000Z");
    assert.equal(row.sessionDate, fullPageRequest.sessionDate?.text);
    assert.equal(row.userAgent, "");
  });

  test("export writes what we found about the visitor beside what the page says", () => {
    const { out } = run(["export", "--format", "ndjson"]);
    const [found, nothing] = out.trimEnd().split("\n");
    assert.match(
      found ?? "",
      /"sessionId":9223372036854775807,"visitorContactId":-9223372036854775808,"visitorLoggedIn":true,/,
    );
    assert.match(nothing ?? "", /"sessionId":null,"visitorContactId":null,"visitorLoggedIn":null,/);
  });

  test("export --format csv is RFC 4180 and begins no text, nor a part of one, like a formula", async () => {
    const target = join(folder, "a.csv");
    const words = ["page-requests", "export", "--format", "csv", "--output", target];
    const { code, out } = await fixture.run(words);
    assert.equal(code, 0);
    assert.equal(out, "");
    assert.equal(
      readFileSync(target, "utf8"),
      `${heading}1,"2026-11-21T10:00:00.000Z","r-full",9007199254740993,-9223372036854775808,${quoted},2147483647,false,9223372036854775807,-2147483648,0,-1,0,"2026-11-21T10:00:00.1234567+01:00",1795251600123,1,-1,"2001:db8:1::/48","",9223372036854775807,-9223372036854775808,true,"0d9f6a52-6c1e","https://forms.example.org/","view","2 of 3"\r\n` +
        `2,"2026-11-22T10:00:00.000Z","r-1",-5,,"' ＝1+1; '=2,\n'＠a-3",,,,,,,,,,,,,,,,,,,,\r\n`,
    );
  });

  test("export takes --from as the first instant and --to as the first that is not meant", () => {
    const span = ["--from", "2026-11-21T11:00:00+01:00", "--to", "2026-11-22T10:00:00Z"];
    const { out } = run(["export", "--format", "ndjson", ...span]);
    assert.deepEqual(
      out
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).id),
      [1],
    );
    const none = run(["export", "--format", "csv", "--from", "2030-01-01"]);
    assert.equal(none.out, heading);
  });
});

test("wfh page-requests export --contact writes what the page claims and what we found of a contact", () => {
  for (const [contact, ids] of [
    ["9223372036854775807", [1]],
    ["-9223372036854775808", [1]],
    ["5", []],
  ] as const) {
    const { out } = run(["export", "--format", "ndjson", "--contact", contact]);
    const found = out.split("\n").flatMap((line) => (line === "" ? [] : JSON.parse(line).id));
    assert.deepEqual(found, ids);
  }
});

test("wfh page-requests export makes a file that only its owner can read", async () => {
  const target = join(folder, "mode.csv");
  const words = ["page-requests", "export", "--format", "csv", "--output", target];
  assert.equal((await fixture.run(words)).code, 0);
  assert.equal(statSync(target).mode & 0o777, 0o600);
});

describe("wfh page-requests export obeys no text that was sent", () => {
  const sent = "https://a.example/\u001b[31mred\u0085next\u202ereversed\u2028";
  const escaped = "https://a.example/\\u001b[31mred\\u0085next\\u202ereversed\\u2028";
  const hostile = openCliFixture(`sqlite:${join(folder, "hostile.db")}`);
  after(() => hostile.close());
  const words = ["packaging/npm/wfh.ts", "page-requests", "export", "--format"];
  const env = { ...process.env, WFH_DATABASE_URL: hostile.databaseUrl };
  before(async () => {
    const { store } = await openTestStore(hostile.databaseUrl);
    await store.pageRequests.append(pageRequest({ pageUrl: sent, userAgent: "\u009b2J" }));
    await store.close();
  });

  test("NDJSON escapes it, also in a pipe, and loses nothing", () => {
    const out = execFileSync(process.execPath, [...words, "ndjson"], { encoding: "utf8", env });
    assert.ok(out.includes(`"pageUrl":"${escaped}"`), out);
    const { pageUrl, userAgent } = JSON.parse(out);
    assert.deepEqual({ pageUrl, userAgent }, { pageUrl: sent, userAgent: "\u009b2J" });
  });

  test("CSV in a pipe is exact", () => {
    const out = execFileSync(process.execPath, [...words, "csv"], { encoding: "utf8", env });
    assert.ok(out.includes(`"${sent}"`), out);
  });

  test("CSV on a terminal escapes it", { skip: noTerminal }, () => {
    const command = [process.execPath, ...words, "csv"].join(" ");
    const flags = ["-q", "-e", "-c", command, "/dev/null"];
    const out = execFileSync(emulator, flags, { encoding: "utf8", env });
    assert.ok(out.includes(`"${escaped}"`), JSON.stringify(out));
    assert.ok(out.includes('"\\u009b2J"'), JSON.stringify(out));
  });
});

describe("wfh page-requests refuses", () => {
  const refusals: readonly [words: readonly string[], code: number, message: RegExp][] = [
    [["export"], 2, /required option '--format/],
    [["export", "--format", "xml"], 2, /^--format xml: expected csv or ndjson/],
    [
      ["export", "--format", "csv", "--from", "2026-02-31"],
      2,
      /^--from 2026-02-31: expected a day/,
    ],
    [["export", "--format", "csv", "--to", "2026-11-21T10:00:00"], 2, /^--to 2026/],
    [
      ["export", "--format", "csv", "--from", "2026-11-02", "--to", "2026-11-01"],
      2,
      /^--from 2026-11-02T00:00:00\.000Z is later than --to 2026-11-01T00:00:00\.000Z\. /,
    ],
    [["export", "--format", "csv", "--output", folder], 69, /^\S+ is a folder: name a file\.\n$/],
    [
      ["export", "--format", "csv", "--output", join(folder, "none", "a.csv")],
      69,
      /^Folder not found: \S+none\.\n$/,
    ],
  ];
  for (const [words, wanted, message] of refusals) {
    test(`${words.join(" ").replace(folder, "a folder")} ends with ${wanted}`, async () => {
      const { code, out, err } = await fixture.run(["page-requests", ...words]);
      assert.match(err, message);
      assert.doesNotMatch(err, /ENOENT|EISDIR/);
      assert.equal(code, wanted);
      assert.equal(out, "");
    });
  }

  test("a database that is not there ends with 69 and is not made", async (t) => {
    const absent = join(folder, "absent.db");
    const elsewhere = openCliFixture(`sqlite:${absent}`);
    t.after(() => elsewhere.close());
    const { code, err } = await elsewhere.run(["page-requests", "tail"]);
    assert.equal(code, 69);
    assert.match(err, /File not found: .*absent.db\nCheck WFH_DATABASE_URL\./);
    assert.throws(() => readFileSync(absent));
  });
});
