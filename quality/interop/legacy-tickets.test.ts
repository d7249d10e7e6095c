import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { machineKeys, nameOf, toElement } from "@wfh/server/test/log-in/legacy-tickets.ts";
import {
  forms,
  type LogInSite,
  openSite,
  tryAutoLogIn,
} from "@wfh/server/test/server/log-in-server.ts";
import { startEngines } from "@wfh/server/test/store/engines.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { runMono } from "../harness/programs.ts";
import { besideThis } from "./run-client.ts";
import { missingDotnet } from "./snippets-dotnet.ts";

const folder = temporaryFolder();
const program = join(folder, "legacy-tickets.exe");
const engines = missingDotnet === false ? await startEngines() : [];

/** The three modes: the two older ones protect tickets in the same way. */
const cases = machineKeys.flatMap((key) =>
  key.mode === "Framework45"
    ? [{ key, mode: key.mode }]
    : ["Framework20SP1", "Framework20SP2"].map((mode) => ({ key, mode })),
);
const kinds = { forms: ".ASPXAUTH", owin: ".AspNet.ApplicationCookie" } as const;
const userName = "Jörg O'Neill";

/** Line of the program for one ticket. */
function toLine(kind: keyof typeof kinds, { key, mode }: (typeof cases)[number]): string {
  const hourMs = 3_600_000;
  const times = [-hourMs, hourMs].map((ms) => new Date(Date.now() + ms).toISOString());
  const hash = key.hash === "sha1" ? "HMACSHA1" : `HMAC${key.hash.toUpperCase()}`;
  const bytes = [key.validationKey, key.decryptionKey, Buffer.from(userName)];
  const texts = bytes.map((each) => each.toString("hex"));
  return [kind, mode, hash, key.cipher, ...texts, ...times, "true"].join(" ");
}

describe("cookies that .NET makes", { skip: missingDotnet }, () => {
  let tickets: readonly string[] = [];
  before(async () => {
    const compiler = "/usr/lib/mono/4.5/mcs.exe";
    await runMono([compiler, `-out:${program}`, besideThis("legacy-tickets.cs")]);
    const lines = cases.flatMap((each) => [toLine("forms", each), toLine("owin", each)]);
    tickets = (await runMono([program], { input: `${lines.join("\n")}\n` })).trim().split("\n");
  });

  for (const [index, { key, mode }] of cases.entries()) {
    const engine = engines[index % engines.length];
    const name = `are accepted once each: ${nameOf({ ...key, mode: mode as never })}, ${engine?.name}`;
    test(name, { skip: engine?.missing ?? false }, async () => {
      const database = await engine?.createDatabase({ isNew: false });
      assert.ok(database);
      const file = join(folder, `${index}.config`);
      writeFileSync(file, toElement(key, mode), { mode: 0o600 });
      const site: LogInSite = await openSite({
        WFH_DATABASE_URL: database.url,
        WFH_LEGACY_MACHINE_KEY_FILE: file,
        WFH_LEGACY_COOKIE_UNTIL: "2100-12-31",
      });
      try {
        const { recordId } = await site.addAccount(userName);
        for (const [i, cookieName] of Object.values(kinds).entries()) {
          const cookie = `${cookieName}=${tickets[index * 2 + i]}`;
          const first = await tryAutoLogIn(site.url, cookie, forms.lax);
          assert.deepEqual([first.isSuccess, first.recordId], [true, recordId], cookieName);
          const again = await tryAutoLogIn(site.url, cookie, forms.lax);
          assert.deepEqual([again.isSuccess, again.recordId], [false, 0n], cookieName);
        }
      } finally {
        await site.close();
        await database.drop();
      }
    });
  }
});
