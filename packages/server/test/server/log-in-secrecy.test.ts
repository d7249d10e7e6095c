import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { temporaryDatabase } from "../test-server.ts";
import {
  carriers,
  cookieOf,
  endpoint,
  type Received,
  type Sent,
  send,
  withFields,
} from "./log-in-calls.ts";
import { type LogInSite, logInAs, openSite, password, tryAutoLogIn } from "./log-in-server.ts";

const databaseUrl = temporaryDatabase();
const file = databaseUrl.slice("sqlite:".length);

/** Texts that must stay in the memory of the server; small letters, because names are folded. */
const secrets = {
  typed: "sentinel-pw-zq81kd",
  unknown: "sentinel-user-vx37pe",
  known: "sentinel-user-known",
  planted: `v1.${"c4naryS".padEnd(21, "x")}A.${"c4naryV".padEnd(42, "y")}A`,
};

/** Calls that hold a secret where it is expected, and where it is not. */
function strangeCalls(): readonly Sent[] {
  const { typed, unknown, planted } = secrets;
  const json = ["Content-Type", "application/json"] as const;
  const path = `${endpoint}/LogInUser`;
  const query = `?userName=${unknown}&passWord=${typed}`;
  const body = JSON.stringify({ userName: unknown, passWord: typed });
  const plain = ["Content-Type", "text/plain"] as const;
  return [
    ...carriers.flatMap((carrier) => [
      carrier.call("LogInUser", { userName: unknown, passWord: typed }),
      carrier.call("LogInUser", { userName: "bob", passWord: typed }),
      carrier.call("LogInUser", { userName: typed, passWord: unknown }),
      withFields(carrier.call("LogInUser", { userName: "bob", passWord: typed }), [
        "Origin",
        "https://evil.example",
      ]),
      withFields(carrier.call("TryAutoLogIn", { form_id: 1 }), [
        "Cookie",
        `__Host-wfal=${planted}`,
      ]),
      carrier.call("LogPageRequestAsync", {
        form_id: 1,
        pageRequestUrl: `https://a.example/?passWord=${typed}`,
      }),
    ]),
    { path, fields: [plain], body },
    { method: "GET", path: path + query },
    { path: path + query, fields: [json], body },
    { path, fields: [json], body: body.slice(0, -1) },
    { path, fields: [json], body: JSON.stringify({ userName: unknown, passWord: { typed } }) },
    { path, fields: [json], body: JSON.stringify([typed]) },
    { path: endpoint + query, fields: [["Content-Type", "text/xml"]], body: `<a>${typed}</a>` },
    { path: "/api/v1/log-out", fields: [json, ["Cookie", `__Host-wfal=${planted}`]], body: "{}" },
    { path: "/api/v1/log-out", fields: [json], body: JSON.stringify({ everywhere: typed }) },
  ];
}

/** Everything that is in the files of the database. */
function databaseBytes(): Buffer {
  const names = [file, `${file}-wal`, `${file}-journal`].filter((name) => existsSync(name));
  return Buffer.concat(names.map((name) => readFileSync(name)));
}

/** Makes the strange calls, then logs in and is remembered twice. */
async function exercise(site: LogInSite) {
  await site.addAccount("bob");
  const responses: Received[] = [];
  for (const call of strangeCalls()) responses.push(await send(site.url, call));
  await site.addAccount(secrets.known);
  const first = await logInAs(site.url, secrets.known);
  site.sql("UPDATE sessions SET rotated_at = rotated_at - 600000");
  const second = cookieOf((await tryAutoLogIn(site.url, first)).response);
  const before = databaseBytes();
  assert.equal((await tryAutoLogIn(site.url, second)).isSuccess, true);
  assert.equal((await tryAutoLogIn(site.url, second)).isSuccess, true);
  return { responses, first, second, bytes: Buffer.concat([before, databaseBytes()]) };
}

test("no password, no cookie and no unknown name is in a response, the log or the files of the database", async () => {
  const site = await openSite({ WFH_LOG_LEVEL: "debug", WFH_DATABASE_URL: databaseUrl });
  const { responses, first, second, bytes } = await exercise(site).finally(() => site.close());
  const files = Buffer.concat([bytes, databaseBytes()]);
  const log = site.server.log.join("");
  // What is looked for would be found: these are there.
  assert.ok(files.includes("https://lax.example") && files.includes(selectorOf(first)));
  assert.match(log, /"event":"logged-in"/);
  const validators = [validatorOf(first), validatorOf(second)];
  assert.notEqual(validators[0], validators[1]);
  for (const secret of [secrets.typed, secrets.unknown, "c4nary", password, ...validators]) {
    assert.equal(files.includes(secret), false, `the database has ${secret}`);
    assert.equal(log.includes(secret), false, `the log has ${secret}`);
    const leaking = responses.filter(({ masked }) => masked.includes(secret));
    assert.equal(leaking[0]?.masked, undefined);
  }
  for (const validator of validators) {
    assert.equal(files.includes(Buffer.from(validator, "base64url")), false, "the database has it");
  }
  for (const known of [selectorOf(first), secrets.known]) assert.equal(log.includes(known), false);
});

function selectorOf(cookie: string): string {
  return cookie.split(".")[1] ?? "";
}

function validatorOf(cookie: string): string {
  return cookie.split(".")[2] ?? "";
}
