import assert from "node:assert/strict";
import { after, test } from "node:test";
import { carriers, cookieFate, cookieOf, send, withFields } from "./log-in-calls.ts";
import { openSite, password, tryAutoLogIn } from "./log-in-server.ts";
import { readSamples } from "./metrics-reading.ts";

/** A reserve that no disk has, in MiB. */
const reserveMiB = 1_000_000_000;

const site = await openSite({ WFH_DISK_RESERVE_MB: String(reserveMiB), WFH_METRICS: "on" });
after(() => site.close());
await site.addAccount("bob");
const lax = ["Origin", "https://lax.example"] as const;

for (const carrier of carriers) {
  test(`${carrier.name}: below the reserve page requests are refused, and log-ins go on`, async () => {
    const pageRequest = await send(site.url, carrier.call("LogPageRequestAsync", { form_id: 1 }));
    assert.equal(pageRequest.status, 503);
    assert.match(pageRequest.body, /The page request was not stored: /);
    assert.match(pageRequest.valuesOf("retry-after")[0] ?? "", /^[1-9]\d*$/);
    const call = carrier.call("LogInUser", { userName: "bob", passWord: password });
    const loggedIn = await send(site.url, withFields(call, lax));
    assert.equal(carrier.read(loggedIn).isSuccess, true);
    const cookie = cookieOf(loggedIn);
    assert.equal((await tryAutoLogIn(site.url, cookie)).isSuccess, true);
    const fields = [["Content-Type", "application/json"], lax, ["Cookie", cookie]] as const;
    const loggedOut = await send(site.url, { path: "/api/v1/log-out", fields, body: "{}" });
    assert.deepEqual([loggedOut.status, cookieFate(loggedOut)], [204, "expired"]);
    assert.equal((await tryAutoLogIn(site.url, cookie)).isSuccess, false);
  });
}

test("below the reserve /readyz says why, the metrics how much is missing, and the log once", async () => {
  const ready = await fetch(`${site.url}/readyz`);
  assert.equal(ready.status, 503);
  assert.deepEqual(await ready.json(), { status: "unavailable", reason: "disk-reserve" });
  const samples = await readSamples(site.url);
  const free = samples.get('wfh_disk_bytes{space="free"}') ?? 0;
  assert.ok(free > 0);
  assert.equal(samples.get('wfh_disk_bytes{space="reserved"}'), reserveMiB * 2 ** 20);
  const lines = site.server.log.filter((line) => line.includes("page requests cannot be stored"));
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? "", /"level":"error".*Less than \d+ MiB are free on the disk of /);
});
