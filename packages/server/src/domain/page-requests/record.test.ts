import assert from "node:assert/strict";
import { test } from "node:test";
import { pageRequest } from "../../../test/store/sample.ts";
import type { PageRequest, StoredPageRequest } from "./page-request.ts";
import { NotStoredError } from "./page-request-log.ts";
import { PageRequests } from "./record.ts";

const unknownSender = { requestId: "r-2", address: null, userAgent: null };

async function record(given: Partial<PageRequest>, sender = {}): Promise<StoredPageRequest> {
  const stored: StoredPageRequest[] = [];
  const pageRequests = new PageRequests({
    log: { append: async (pageRequest) => void stored.push(pageRequest) },
    now: () => 1_795_000_000_000,
    secretNames: ["token"],
  });
  await pageRequests.record(pageRequest(given), { ...unknownSender, ...sender }, null);
  const [only] = stored;
  assert.ok(only);
  assert.equal(stored.length, 1);
  return only;
}

test("a page request that says nothing is stored with the time of its arrival", async () => {
  assert.deepEqual(await record({}), {
    ...pageRequest(),
    requestId: "r-2",
    arrivedAtMs: 1_795_000_000_000,
  });
});

test("every field is stored as it was given", async () => {
  const given: PageRequest = {
    formId: -9_223_372_036_854_775_808n,
    transId: 9_007_199_254_740_993n,
    pageUrl: "/a?b=%7e#c",
    applicationInstanceId: -1,
    isAuthenticated: false,
    contactId: 0n,
    screenWidth: 1920,
    screenHeight: 0,
    browserUserAgentId: 1n,
    crossAppSessionId: 2n,
    sessionDate: { text: " 2026-11-21T10:00:00", instantMs: null },
    conversionHitId: 3n,
    overrideRequestMethodId: 4,
    eventKey: "12345678",
    referrer: "/before",
    kind: "view",
    step: "2",
  };
  const { requestId, arrivedAtMs, network, userAgent, finding, ...fields } = await record(given);
  assert.deepEqual(fields, given);
});

test("secrets of the address are redacted and the sender's address is masked", async () => {
  const stored = await record({ pageUrl: "/?token=abc&x=1" }, { address: "192.0.2.17" });
  assert.equal(stored.pageUrl, "/?token=[redacted]&x=1");
  assert.equal(stored.network, "192.0.2.0/24");
});

const longAddresses: readonly [rule: string, given: string, kept: string][] = [
  ["4,096 bytes are kept", "a".repeat(4_096), "a".repeat(4_096)],
  ["one more is cut, and one can see it", "a".repeat(4_097), `${"a".repeat(4_093)}…`],
  ["characters of three bytes are as long as bytes", "界".repeat(1_365), "界".repeat(1_365)],
  ["a character of three bytes is cut as a whole", "界".repeat(1_366), `${"界".repeat(1_364)}…`],
  ["a character of four bytes is cut as a whole", "😀".repeat(1_025), `${"😀".repeat(1_023)}…`],
];
for (const [rule, given, kept] of longAddresses) {
  test(`an address of a page is limited by its bytes: ${rule}`, async () => {
    assert.equal((await record({ pageUrl: given })).pageUrl, kept);
    assert.ok(Buffer.byteLength(kept) <= 4_096);
  });
}

test("the name of a browser is limited to 512 bytes", async () => {
  const { userAgent } = await record({}, { userAgent: "é".repeat(300) });
  assert.equal(userAgent, `${"é".repeat(254)}…`);
});

test("a network that has sent more than it may is refused, others and unknown ones are not", async () => {
  const stored: StoredPageRequest[] = [];
  const pageRequests = new PageRequests({
    log: { append: async (pageRequest) => void stored.push(pageRequest) },
    now: () => 0,
    secretNames: [],
    rateLimiter: { consume: (network) => network !== "192.0.2.0/24" },
  });
  const from = (address: string | null) =>
    pageRequests.record(pageRequest(), { ...unknownSender, address }, null);
  await assert.rejects(
    from("192.0.2.17"),
    (thrown) => thrown instanceof NotStoredError && thrown.reason === "too-many",
  );
  await from("198.51.100.1");
  await from(null);
  assert.equal(stored.length, 2);
});

test("of an address beyond 8,192 characters no half of a secret is stored", async () => {
  const token = "S3CRET".repeat(2_000);
  const table: readonly [pageUrl: string, kept: string][] = [
    [`/?token=${token}`, "/?…"],
    [`https://${token}@a.example/`, "https://…"],
    [`/?token=${token.slice(0, 8_100)}&next=%2F%28S%28${token}`, "/?token=[redacted]&…"],
  ];
  for (const [pageUrl, kept] of table) {
    assert.equal((await record({ pageUrl })).pageUrl, kept);
  }
});

test("a cut halves no pair of surrogates", async () => {
  const { userAgent } = await record({}, { userAgent: "a".repeat(508) + "😀".repeat(2) });
  assert.equal(userAgent, `${"a".repeat(508)}…`);
});

test("what a database cannot hold becomes U+FFFD", async () => {
  const stored = await record(
    { pageUrl: "/\0\ud800😀", sessionDate: { text: "\0", instantMs: null } },
    { userAgent: "\udc00" },
  );
  assert.equal(stored.pageUrl, "/\ufffd\ufffd😀");
  assert.equal(stored.sessionDate?.text, "\ufffd");
  assert.equal(stored.userAgent, "\ufffd");
});
