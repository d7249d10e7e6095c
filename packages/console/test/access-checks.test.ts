import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { runChecks } from "@wfh/server/lib/check.ts";
import { readConfig } from "@wfh/server/server/settings/config.ts";
import { quickFolder } from "@wfh/server/test/quick-folder.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { type AccessState, accessChecks } from "../src/access/access-checks.ts";
import type { ListedOperator } from "../src/access/operator.ts";

const nowMs = Date.UTC(2026, 10, 26);
const ada: ListedOperator = {
  id: 1n,
  name: "Ada",
  role: "operator",
  forms: null,
  isPasswordSet: true,
  createdAtMs: nowMs,
  lastLogInAtMs: null,
  sessions: 0,
};
const ended = {
  name: "grafana",
  scope: "reports",
  forms: null,
  createdAtMs: 0,
  endsAtMs: nowMs,
  lastUsedAtMs: null,
} as const;

const folder = temporaryFolder(quickFolder);

function secretFile(name: string, content: string, mode = 0o600): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  chmodSync(file, mode);
  return file;
}

const good = secretFile("good", `${"s".repeat(64)}\n`);
const header = { WFH_OPERATOR_PROXY_HEADER: "X-Forwarded-User" };

async function complaintsOf(settings: Record<string, string>, readers: AccessState["readers"]) {
  const { config } = readConfig(undefined, { WFH_OPERATOR_PAGE: "on", ...settings });
  const findings = await runChecks(accessChecks, { config, nowMs, key: null, readers });
  return findings
    .filter(({ level }) => level !== "ok")
    .map(({ check, level, text, fix }) => `${check} ${level}: ${text} -> ${fix}`);
}

const one = { operators: [ada], tokens: [] };
const cases: readonly [
  what: string,
  settings: Record<string, string>,
  readers: AccessState["readers"],
  complaint: RegExp | null,
][] = [
  [
    "an operator who can open the page",
    { WFH_OPERATOR_PAGE: "admin", WFH_ADMIN_PORT: "8081" },
    one,
    null,
  ],
  [
    "an operator who cannot open the page",
    { WFH_OPERATOR_PAGE: "admin" },
    one,
    /^operator-page warning: The operator's page cannot be reached/,
  ],
  [
    "a page for the network over plain HTTP",
    { WFH_OPERATOR_PAGE: "on", WFH_HOST: "0.0.0.0" },
    one,
    /^operator-page warning: Operators log in at 0\.0\.0\.0 over plain HTTP/,
  ],
  ["a database that is away", {}, null, null],
  ["nobody", {}, { operators: [], tokens: [] }, null],
  [
    "a public page over plain HTTP",
    { WFH_OPERATOR_PAGE: "on", WFH_BASE_URL: "http://forms.example" },
    one,
    /^operator-page warning: Operators log in at http:\/\/forms\.example over plain HTTP/,
  ],
  [
    "an operator whom nothing logs in",
    {},
    { operators: [{ ...ada, isPasswordSet: false }], tokens: [] },
    /^operators warning: Operator Ada has no password.* -> wfh operators passwd Ada/,
  ],
  [
    "a token that ended",
    {},
    { operators: [ada], tokens: [ended] },
    /^tokens warning: Token grafana has ended/,
  ],
  ["a header at the admin listener", { ...header, WFH_ADMIN_PORT: "8081" }, one, null],
  [
    "a header at an admin listener for the network",
    { ...header, WFH_ADMIN_PORT: "8081", WFH_ADMIN_HOST: "10.0.0.7" },
    one,
    /^proxy-header problem: Everyone who can reach the admin listener at 10\.0\.0\.7/,
  ],
  [
    "a header that never counts",
    header,
    one,
    /^proxy-header warning: X-Forwarded-User never counts/,
  ],
  ["a header with a secret", { ...header, WFH_OPERATOR_PROXY_SECRET_FILE: good }, one, null],
  [
    "a secret without a header",
    { WFH_OPERATOR_PROXY_SECRET_FILE: good },
    one,
    /^proxy-secret warning: WFH_OPERATOR_PROXY_SECRET_FILE has no effect/,
  ],
  [
    "a secret that others can read",
    { ...header, WFH_OPERATOR_PROXY_SECRET_FILE: secretFile("open", "s".repeat(64), 0o644) },
    one,
    /^proxy-secret problem: .*Others can read the proxy secrets/,
  ],
  [
    "a short secret",
    { ...header, WFH_OPERATOR_PROXY_SECRET_FILE: secretFile("short", "s".repeat(31)) },
    one,
    /^proxy-secret problem: .*at least 32 letters/,
  ],
  [
    "a secret that is missing",
    { ...header, WFH_OPERATOR_PROXY_SECRET_FILE: join(folder, "none") },
    one,
    /^proxy-secret problem: .*there is no such file/,
  ],
];

describe("checks of access", () => {
  for (const [what, settings, readers, complaint] of cases) {
    test(complaint === null ? `accept ${what}` : `complain about ${what}`, async () => {
      const complaints = await complaintsOf(settings, readers);
      assert.equal(complaints.length, complaint === null ? 0 : 1, complaints.join("\n"));
      if (complaint !== null) assert.match(complaints[0] ?? "", complaint);
    });
  }
});

/** A public address that responds with a status to whoever names an operator. */
async function publicAddress(t: TestContext, status: number, location = ""): Promise<string> {
  const server = createServer((request, response) => {
    assert.equal(request.headers["x-wfh-proxy-secret"], undefined);
    const { host = "" } = request.headers;
    const headers = { Location: location.replace("HOST", host) };
    response.writeHead(request.headers["x-forwarded-user"] === "Ada" ? status : 500, headers).end();
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Complaints about a forged header that a public address gets. */
async function complaintsAbout(baseUrl: string) {
  const settings = { ...header, WFH_OPERATOR_PROXY_SECRET_FILE: good, WFH_BASE_URL: baseUrl };
  return complaintsOf(settings, one);
}

test("a forged header that is believed through the public address is a problem", async (t) => {
  const [complaint = ""] = await complaintsAbout(await publicAddress(t, 200));
  assert.match(complaint, /^forged-header problem: A forged X-Forwarded-User, sent through http/);
});

test("a forged header is refused by a log-in, 401 and 403", async (t) => {
  for (const status of [302, 303, 401, 403]) {
    assert.deepEqual(await complaintsAbout(await publicAddress(t, status, "log-in")), []);
  }
});

test("a public address that responds otherwise leaves the question open", async (t) => {
  const addresses: [string, RegExp][] = [
    ["http://127.0.0.1:1", /does not respond, so/],
    [await publicAddress(t, 301, "https://other.example/"), /responds with 301, so/],
    [await publicAddress(t, 502), /responds with 502, so/],
    // Followed to HTTPS, where nothing listens.
    [await publicAddress(t, 301, "https://HOST/operator"), /does not respond, so/],
    [await publicAddress(t, 302, "https://HOST/operator"), /does not respond, so/],
  ];
  for (const [address, reason] of addresses) {
    const [complaint = ""] = await complaintsAbout(address);
    assert.match(complaint, /^forged-header warning: http:/);
    assert.match(complaint, reason);
  }
});
