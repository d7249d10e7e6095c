import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestServer } from "../test-server.ts";
import { carriers, send, withFields } from "./log-in-calls.ts";

const server = await startTestServer({
  WFH_PAGE_REQUESTS_PER_NETWORK: "1",
  WFH_TRUSTED_PROXIES: "127.0.0.1",
});

for (const [index, carrier] of carriers.entries()) {
  test(`${carrier.name}: one page request too many from a network is refused with Retry-After`, async () => {
    const call = carrier.call("LogPageRequestAsync", { form_id: 1 });
    const from = (address: string) =>
      send(server.url, withFields(call, ["X-Forwarded-For", address]));
    assert.equal((await from(`192.0.${index}.17`)).status, 200);
    const refused = await from(`192.0.${index}.18`);
    assert.equal(refused.status, 503);
    assert.match(refused.valuesOf("retry-after")[0] ?? "", /^[1-9]\d*$/);
    assert.match(refused.body, /The page request was not stored: too many come from your network/);
    assert.equal((await from(`198.51.${index}.1`)).status, 200);
  });
}
