import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { type Engine, startEngines } from "@wfh/server/test/store/engines.ts";
import { plainEnvironment } from "@wfh/server/test/test-server.ts";
import { openCliFixture, openFixtureOn } from "./cli-fixture.ts";

// Rows of any age are kept, so that these tests do not depend on the day on which they run.
process.env["WFH_PAGE_REQUEST_RETENTION"] = "0";
process.env["WFH_DISK_RESERVE_MB"] = "0";

const engines = await startEngines();

const table = `form_id,trans_id,pageRequestUrl,isAuthenticated,contact_id,screenWidth,sessionDate,Created,Ip_Address,UserAgent,Spare
12,9007199254740993,https://www.example.org/a?token=S3CRET&x=1,True,NULL,1920,2026-03-14 15:09:26.537,2026-03-14 15:09:26.5370000,192.0.2.17,Firefox,x
12,,/b,0,5,,2026-03-14T15:09:26Z,2026-03-14 10:09:27 -05:00,2001:db8:1:2::3,NULL,x
12,,/b,0,5,,2026-03-14T15:09:26Z,2026-03-14 10:09:27 -05:00,2001:db8:1:2::4,NULL,y
NULL,,/c,,,,,20260315,,,x
`;

const head = "#Software: Microsoft Internet Information Services 10.0\r\n#Version: 1.0\r\n";
const fields = "#Fields: date time cs-method cs-uri-stem cs-uri-query s-port c-ip cs(User-Agent)";
const call = "/services/webformsajaxendpoint.svc/LogPageRequestAsync";
const log = `${head}${fields} cs(Referer) sc-status
2026-03-14 15:09:26 POST ${call} - 443 192.0.2.17 Mozilla/5.0+(X11) https://www.example.org/contact?code=S3CRET 200
2026-03-14 15:09:26 POST ${call} - 443 192.0.2.18 Mozilla/5.0+(X11) https://www.example.org/contact?code=OTHER 200
2026-03-14 15:09:27 GET /contact.aspx topic=a 443 192.0.2.17 Mozilla/5.0+(X11) - 200
2026-03-14 15:09:28 POST /Services/WebFormsAjaxEndpoint.svc - 443 192.0.2.17 node-soap - 200
2026-03-14 15:09:29 POST ${call} - 443 192.0.2.17 - - 500
${fields} sc-status cs(SOAPAction) cs-host
2026-03-14 16:00:00 POST /Services/WebFormsAjaxEndpoint.svc - 443 198.51.100.1 PHP-SOAP 200 "http://example.org/IWebFormsAjaxEndpoint/LogPageRequestAsync" www.example.org
2026-03-14 16:00:01 GET /Contact.aspx - 443 198.51.100.1 Opera 304 - www.example.org
2026-03-14 16:00:02 GET /contact.aspx 443 198.51.100.1 Opera
\0\0\0\0`;

async function openImport(engine: Engine, t: TestContext) {
  const fixture = await openFixtureOn(engine, t, { isNew: false });
  const { database } = fixture;
  const write = (name: string, content: string | Uint8Array) => {
    writeFileSync(join(fixture.folder, name), content);
    return join(fixture.folder, name);
  };
  const run = (...words: readonly string[]) => fixture.run(["page-requests", "import", ...words]);
  const counts = async (...words: readonly string[]) => {
    const { out, err, code } = await run(...words, "--json", "--quiet");
    assert.notEqual(out, "", err);
    const { rows, added, present, otherRequests, soapCalls, tooOld, rejected } = JSON.parse(out);
    return { code, rows, added, present, otherRequests, soapCalls, tooOld, rejected };
  };
  const rows = (columns: string) =>
    database.query(`select ${columns} from page_requests order by arrived_at, id`);
  return { database, fixture, write, run, counts, rows };
}
function onEngines(
  name: string,
  run: (at: Awaited<ReturnType<typeof openImport>>) => Promise<void>,
): void {
  for (const engine of engines) {
    const options = { skip: engine.missing ?? false, timeout: 60_000 };
    test(`${engine.name}: ${name}`, options, async (t) => run(await openImport(engine, t)));
  }
}

const none = { present: 0, otherRequests: 0, soapCalls: 0, tooOld: 0, rejected: 0 };

onEngines(
  "the old table is stored as live page requests are: secrets redacted, addresses masked",
  async ({ write, counts, rows }) => {
    const file = write("old.csv", table);
    assert.deepEqual(await counts(file), { code: 0, rows: 4, added: 4, ...none });
    const texts = (await rows("*")).map((row) => JSON.stringify(Object.values(row).map(String)));
    for (const text of texts) assert.doesNotMatch(text, /S3CRET|192\.0\.2\.17|:2::/);
    const [first, second, , last] = await rows(
      "arrived_at, page_url, trans_id, contact_id, session_date, session_date_at, network, form_id, request_id",
    );
    assert.deepEqual(Object.values(first ?? {}).map(String), [
      "1773500966537",
      "https://www.example.org/a?token=[redacted]&x=1",
      "9007199254740993",
      "null",
      "2026-03-14 15:09:26.537",
      "null",
      "192.0.2.0/24",
      "12",
      "import",
    ]);
    assert.deepEqual(Object.values(second ?? {}).map(String), [
      "1773500967000",
      "/b",
      "null",
      "5",
      "2026-03-14T15:09:26Z",
      "1773500966000",
      "2001:db8:1::/48",
      "12",
      "import",
    ]);
    assert.equal(String(last?.["arrived_at"]), String(Date.parse("2026-03-15T00:00:00Z")));
  },
);

onEngines(
  "imported twice changes nothing, and identical rows stay as many as they are",
  async ({ write, counts, rows }) => {
    const same = "3,/x,2026-03-14 00:00:00\n";
    const without = ",/y,2026-03-14 00:00:00\n";
    const header = "formId,pageUrl,date\n";
    const file = write("a.csv", `${header}${same.repeat(3)}${without.repeat(2)}`);
    assert.deepEqual(await counts(file), { code: 0, rows: 5, added: 5, ...none });
    assert.deepEqual(await counts(file), { code: 0, rows: 5, added: 0, ...none, present: 5 });
    // A later export of the same table, which has grown.
    const grown = write("b.csv", `${header}${same.repeat(4)}${without.repeat(3)}`);
    const expected = { code: 0, rows: 7, added: 2, ...none, present: 5 };
    assert.deepEqual(await counts(grown, "--dry-run"), expected);
    assert.deepEqual(await counts(grown), expected);
    assert.equal((await rows("id")).length, 7);
  },
);

onEngines(
  "a dry run of files that have rows in common tells what an import adds",
  async ({ write, counts, rows }) => {
    const header = "formId,eventKey,pageUrl,date\n";
    const same = "3,,/x,2026-03-14\n".repeat(2);
    const keyed = "3,own-key-1,/y,2026-03-14\n,own-key-1,/y,2026-03-14\n".repeat(2);
    const a = write("a.csv", header + same + keyed);
    const b = write("b.csv", `${header}${same}${keyed}3,,/x,2026-03-14\n`);
    const expected = { code: 0, rows: 13, added: 5, ...none, present: 8 };
    assert.deepEqual(await counts(a, b, "--dry-run"), expected);
    assert.deepEqual(await counts(a, b), expected);
    assert.equal((await rows("id")).length, 5);
  },
);

onEngines(
  "of IIS logs calls are imported, with the page that made them; other lines are counted",
  async ({ write, counts, rows, run }) => {
    const file = write("u_ex.log", log);
    const expected = { rows: 8, added: 3, present: 0, otherRequests: 3, soapCalls: 1, tooOld: 0 };
    assert.deepEqual(await counts(file), { code: 1, ...expected, rejected: 1 });
    const stored = await rows("arrived_at, page_url, user_agent, network, form_id");
    const page = "https://www.example.org/contact?code=[redacted]";
    assert.deepEqual(
      stored.map((row) => Object.values(row).map(String)),
      [
        ["1773500966000", page, "Mozilla/5.0 (X11)", "192.0.2.0/24", "null"],
        ["1773500966000", page, "Mozilla/5.0 (X11)", "192.0.2.0/24", "null"],
        ["1773504000000", "null", "PHP-SOAP", "198.51.100.0/24", "null"],
      ],
    );
    const { out, err } = await run(file);
    assert.match(out, /SOAP calls, whose operation is not in the log +1$/m);
    assert.match(err, /u_ex\.log, line 12: Expected 11 values as in #Fields, found 7\.$/m);
  },
);

onEngines(
  "of IIS logs views of pages are imported with --pages, as those of a form with --form",
  async ({ write, rows, fixture }) => {
    const file = write("u_ex.log.gz", gzipSync(log));
    const words = [file, "--pages", "/CONTACT*.aspx", "--form", "12"];
    await fixture.run(["page-requests", "import", ...words]);
    const stored = await rows("page_url, kind, form_id");
    assert.deepEqual(
      stored.map((row) => Object.values(row).map(String)),
      [
        ["/contact.aspx?topic=a", "view", "12"],
        ["https://www.example.org/Contact.aspx", "view", "12"],
      ],
    );
    const span = ["--from", "2026-03-14", "--to", "2026-03-14", "--csv"];
    const { out } = await fixture.run(["report", "forms", ...span]);
    assert.match(out, /^"12",2\r$/m);
  },
);

onEngines("two imports at the same time store each row once", async ({ write, counts, rows }) => {
  const lines = Array.from(
    { length: 4_000 },
    (_, i) => `/p${i},2026-03-14 00:00:${10 + (i % 50)}\n`,
  );
  const file = write("a.csv", `pageUrl,date\n${lines.join("")}`);
  const both = await Promise.all([counts(file), counts(file)]);
  assert.deepEqual(
    both.map(({ added, present }) => added + present),
    [4_000, 4_000],
  );
  assert.equal((await rows("id")).length, 4_000);
});

onEngines(
  "rows of days that are over get partitions, where the engine has any",
  async ({ write, counts, database }) => {
    await counts(write("a.csv", "date\n2026-03-14\n"));
    if (database.url.startsWith("sqlite:")) return;
    const [row] = await database.query(
      "select count(*) as rows from page_requests where tableoid <> 'page_requests_default'::regclass",
    );
    assert.equal(String(row?.["rows"]), "1");
  },
);

for (const engine of engines) {
  const options = { skip: engine.missing ?? false };
  test(`${engine.name}: a dry run finds all rows new in an empty database`, options, async (t) => {
    const empty = await openFixtureOn(engine, t, { isNew: true });
    const file = join(empty.folder, "a.csv");
    writeFileSync(file, "date\n2026-03-14\n");
    const { code, out } = await empty.run(["page-requests", "import", file, "--dry-run"]);
    assert.equal(code, 0);
    assert.match(out, /^ +1 +1 +0 +0$/m);
  });
}

onEngines(
  "kill -9 leaves whole batches, and the same command goes on",
  async ({ write, counts, rows, fixture }) => {
    const lines = Array.from(
      { length: 20_000 },
      (_, i) => `${i % 2 === 0 ? "" : 7},/p${i % 5},2026-03-14 00:00:${10 + (i % 50)}\n`,
    );
    const file = write("big.csv", `formId,pageUrl,date\n${lines.join("")}`);
    const config = join(fixture.folder, "settings.toml");
    const words = ["packaging/npm/wfh.ts", "page-requests", "import", "-", "--config", config];
    const child = spawn(process.execPath, words, {
      env: { ...plainEnvironment, WFH_PAGE_REQUEST_RETENTION: "0", WFH_DISK_RESERVE_MB: "0" },
      stdio: ["pipe", "ignore", "ignore"],
    });
    const ended = once(child, "exit");
    // Half of the rows come, and no more: those are written while the command waits for the rest.
    child.stdin.on("error", () => {});
    child.stdin.write(`formId,pageUrl,date\n${lines.slice(0, 10_000).join("")}`);
    // On PostgreSQL the table comes with the first import.
    while ((await rows("id").catch(() => [])).length < 3_000) assert.equal(child.exitCode, null);
    child.kill("SIGKILL");
    await ended;
    const before = (await rows("id")).length;
    const expected = { code: 0, rows: 20_000, ...none, added: 20_000 - before, present: before };
    assert.deepEqual(await counts(file), expected);
    assert.equal((await rows("id")).length, 20_000);
  },
);

const fixture = openCliFixture();
after(() => fixture.close());
const write = (name: string, content: string | Uint8Array) => {
  writeFileSync(join(fixture.folder, name), content);
  return join(fixture.folder, name);
};
const run = (...words: readonly string[]) => fixture.run(["page-requests", "import", ...words]);

test("a dry run creates no database", async () => {
  const { code, out } = await run(write("old.csv", table), "--dry-run");
  assert.equal(code, 0);
  assert.match(out, /Would be added.*\n.*\n +4 +4 +0 +0$/m);
  assert.throws(() => readFileSync(fixture.databaseFile), { code: "ENOENT" });
});

test("below the reserve of the disk nothing is stored, and a dry run says what would be", async () => {
  const file = write("a.csv", "date\n2026-03-14\n");
  process.env["WFH_DISK_RESERVE_MB"] = "1000000000";
  const { code, err } = await run(file);
  const dry = await run(file, "--dry-run");
  process.env["WFH_DISK_RESERVE_MB"] = "0";
  assert.equal(code, 69);
  assert.match(
    err,
    /^Less than 1000000000 MiB are free on the disk of .* \(WFH_DISK_RESERVE_MB\)\. .*log-ins go on\.$/m,
  );
  assert.equal(dry.code, 0);
  assert.match(dry.out, /^ +1 +1 +0 +0$/m);
});

test("bad rows are listed with line and reason, and written to --rejects", async () => {
  const file = write(
    "bad.csv",
    "formId,isAuthenticated,date\n1,1,yesterday\n99999999999999999999,1,2026-01-01\n1,perhaps,2026-01-01\n1,1,2026-02-30\n1,1,2999-01-01\n1,1,\n1,1\n1,1,2026-01-01\n",
  );
  const rejects = join(fixture.folder, "rejected.ndjson");
  const { code, out, err } = await run(file, "--rejects", rejects, "--dry-run");
  assert.equal(code, 1);
  assert.match(out, /^ +8 +1 +0 +7$/m);
  const found = readFileSync(rejects, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    found.map(({ line, message }) => [line, message.split(".", 1)[0].slice(0, 33)]),
    [
      [2, "A time is not of the form 2026-11"],
      [3, "formId: Value was either too larg"],
      [4, "isAuthenticated: String was not r"],
      [5, "A time is not of the form 2026-11"],
      [6, "The time is in the future"],
      [7, "A time is not of the form 2026-11"],
      [8, "Expected 3 columns as in the head"],
    ],
  );
  for (const { line } of found) assert.ok(err.includes(`bad.csv, line ${line}: `), err);
});

for (const [time, form] of [
  ["11/21/2026 10:00:00 AM", "00/00/0000 00:00:00 AM"],
  ["3/5/2026", "0/0/0000"],
  ["31.12.2026 23:59", "00.00.0000 00:00"],
  ["Mar 14 2026  3:09PM", "Mar 00 0000  0:00PM"],
] as const) {
  test(`a file with times such as ${time} is refused at the first, with the form to use`, async () => {
    const file = write("local.csv", `date,formId\n${`${time},1\n`.repeat(50)}`);
    const { code, err, out } = await run(file, "--dry-run");
    assert.equal(code, 69);
    const found = `local.csv, line 2: times are of the form ${form}. Export them as 2026-11-21 10:00:00.123.`;
    assert.ok(err.includes(found), err);
    assert.doesNotMatch(out, /line \d/);
  });
}

test("columns that are not recognized are listed, and a required one is refused with a way to name it", async () => {
  const missing = await run(write("own.csv", "Logged,Form No\n2026-01-01,4\n"));
  assert.equal(missing.code, 69);
  assert.match(
    missing.err,
    /line 1: the column arrivedAt is missing\. The header has Logged, Form No\. .* AS arrivedAt/,
  );
  const { code, err } = await run(write("a.csv", "date,Form No\n2026-01-01,4\n"), "--dry-run");
  assert.equal(code, 0);
  assert.match(err, /^Ignored columns: Form No$/m);
});

test("rows older than the retention are skipped and counted", async () => {
  const file = write("old-rows.csv", "date\n2001-01-01\n");
  process.env["WFH_PAGE_REQUEST_RETENTION"] = "400";
  const { out } = await run(file, "--dry-run");
  process.env["WFH_PAGE_REQUEST_RETENTION"] = "0";
  assert.match(out, /older than WFH_PAGE_REQUEST_RETENTION +1$/m);
});

test("a log without a time is refused with a sentence", async () => {
  const log = `${head}#Fields: c-ip cs-uri-stem\n192.0.2.1 /\n`;
  const { code, err } = await run(write("input", log), "--dry-run");
  assert.equal(code, 69);
  assert.match(err, /line 3: the column arrivedAt is missing/);
});

test("UTF-16, several files, and a line before #Fields", async () => {
  const files = [
    write("a.csv", Buffer.from(`\ufeff${table}`, "utf16le")),
    write("b.log", `#Version: 1.0\n2026-01-01 00:00:00 GET /\n${log.slice(head.length)}`),
  ];
  const { out, err } = await run(...files, "--dry-run");
  assert.match(out, /^ +13 +7 +0 +2$/m);
  assert.match(err, /b\.log, line 2: Expected 0 values as in #Fields, found 4\./);
});
