import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Form } from "../../src/domain/log-in/form.ts";
import type { MachineKey } from "../../src/secrets/legacy-ticket.ts";
import { machineKeys, type TicketContent, toElement } from "../log-in/legacy-tickets.ts";
import { startEngines } from "../store/engines.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { temporaryDatabase } from "../test-server.ts";
import { cookieFate, overJson, type Received, send, withFields } from "./log-in-calls.ts";
import { forms, openSite } from "./log-in-server.ts";

const folder = temporaryFolder();
const engines = await startEngines();

let files = 0;
/** Writes a file with the key of the old server; returns the settings that name it. */
export function accepting(content: string, mode = 0o600): Record<string, string> {
  files += 1;
  const file = join(folder, `${files}.config`);
  writeFileSync(file, content);
  chmodSync(file, mode);
  return { WFH_LEGACY_MACHINE_KEY_FILE: file, WFH_LEGACY_COOKIE_UNTIL: "2100-12-31" };
}

export const key = machineKeys.findLast(({ cipher }) => cipher === "AES") as MachineKey;
export const settings = { ...accepting(toElement(key)), WFH_TRUSTED_PROXIES: "127.0.0.1" };
export const hour = 3_600_000;

export function content(given: Partial<TicketContent> = {}): TicketContent {
  const nowMs = Date.now();
  const times = { issuedAtMs: nowMs - hour, expiresAtMs: nowMs + 24 * hour };
  return { userName: "Bob", isPersistent: true, ...times, ...given };
}

/** A network of its own, so that refused cookies do not use up the attempts of other tests. */
let networks = 0;
export function newNetwork(): readonly [string, string] {
  networks += 1;
  return ["X-Forwarded-For", `198.18.${networks}.1`];
}

interface Call {
  readonly form?: Form;
  readonly network?: readonly [string, string];
}

export async function tryWith(
  url: string,
  cookie: string,
  { form = forms.lax, network = newNetwork() }: Call = {},
) {
  const parts = { form_id: String(form.id), applicationInstance_id: String(form.instance.id) };
  const call = overJson.call("TryAutoLogIn", parts);
  const https = ["X-Forwarded-Proto", "https"] as const;
  const fields = [["Origin", form.origins[0] ?? ""], ["Cookie", cookie], network, https] as const;
  const response = await send(url, withFields(call, ...fields));
  return { response, ...overJson.read(response) };
}

const newCookie = /^__Host-wfal=v1\.[\w-]{22}\.[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax/;
export const expired = (name: string, place = "Path=/") =>
  `${name}=; ${place}; Secure; HttpOnly; SameSite=None; Max-Age=0`;

/** Asserts that a cookie has logged in, and is expired. Returns the new one. */
export function assertExchanged(response: Received, name = ".ASPXAUTH"): string {
  assert.equal(overJson.read(response).isSuccess, true, response.masked);
  const [own = "", ...others] = response.valuesOf("set-cookie");
  assert.match(own, newCookie);
  assert.deepEqual(others, [expired(name)]);
  return own.slice(0, own.indexOf(";"));
}

export function assertRefused(response: Received, rule: string): void {
  const { isSuccess, message } = overJson.read(response);
  assert.deepEqual([isSuccess, message], [false, "You are not logged in."], rule);
  assert.equal(cookieFate(response), "kept", rule);
}

async function openWithBob(databaseUrl: string, more: Record<string, string> = {}) {
  const site = await openSite({ ...settings, WFH_DATABASE_URL: databaseUrl, ...more });
  const bob = await site.addAccount("bob", 4_001n);
  return { ...site, bob };
}

type SiteWithBob = Awaited<ReturnType<typeof openWithBob>>;

/** A test on each engine. */
export function onBoth(
  name: string,
  run: (site: SiteWithBob, databaseUrl: string) => Promise<void>,
): void {
  for (const engine of engines) {
    const skip = engine.missing ?? false;
    test(`cookies of the old server, on ${engine.name}: ${name}`, { skip }, async () => {
      const database = await engine.createDatabase({ isNew: false });
      const site = await openWithBob(database.url);
      try {
        await run(site, database.url);
      } finally {
        await site.close();
        await database.drop();
      }
    });
  }
}

export async function within(
  more: Record<string, string>,
  run: (site: SiteWithBob, url: string) => Promise<void>,
): Promise<void> {
  const site = await openWithBob(temporaryDatabase(), more);
  try {
    await run(site, site.url);
  } finally {
    await site.close();
  }
}
