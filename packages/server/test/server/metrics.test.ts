import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, describe, test } from "node:test";
import { NotStoredError } from "../../src/domain/page-requests/page-request-log.ts";
import { builtInGazetteer } from "../../src/gazetteer/format/artifact.ts";
import { openGazetteer } from "../../src/gazetteer/format/reader.ts";
import { writeEnvelope } from "../soap.ts";
import { startServer, startTestServer } from "../test-server.ts";
import { changesOf, readMetrics, readSamples } from "./metrics-reading.ts";

const location = "/api/LocationUIHelper.asmx";
const endpoint = "/api/WebFormsAjaxEndpoint.svc";
const json = { "Content-Type": "application/json" };
const xml = { "Content-Type": "text/xml" };

const server = await startTestServer({ WFH_LOCATION_NAMESPACE: "urn:l/", WFH_METRICS: "on" });
const { url } = server;

/** Line of the calls of an operation. */
function callsOf(service: string, operation: string, binding: string, outcome: string): string {
  return `wfh_requests_total{service="${service}",operation="${operation}",binding="${binding}",outcome="${outcome}"}`;
}
const ofLocation = (operation: string, binding: string, outcome: string) =>
  callsOf("LocationUIHelper", operation, binding, outcome);
const ofRest = (operation: string, outcome: string) =>
  callsOf("WebFormsApi", operation, "rest", outcome);

const states = (value: string) =>
  `<GetStateListForCountryId xmlns="urn:l/"><countryId>${value}</countryId></GetStateListForCountryId>`;

interface Sent {
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}
const send = (to: string, { path, headers, body }: Sent) =>
  fetch(to + path, body === undefined ? {} : { method: "POST", headers: headers ?? {}, body });

const soap12 = { "Content-Type": "application/soap+xml" };
const form = { "Content-Type": "application/x-www-form-urlencoded" };
const get = "GetStateListForCountryId";
const calls: readonly (readonly [key: string, sent: Sent])[] = [
  [ofLocation(get, "http-get", "ok"), { path: `${location}/${get}?countryId=840` }],
  [
    ofLocation(get, "http-post", "ok"),
    { path: `${location}/${get}`, headers: form, body: "countryId=840" },
  ],
  [
    ofLocation(get, "json", "ok"),
    { path: `${location}/${get}`, headers: json, body: '{"countryId":840}' },
  ],
  [
    ofLocation(get, "soap11", "ok"),
    { path: location, headers: xml, body: writeEnvelope("1.1", states("840")) },
  ],
  [
    ofLocation(get, "soap12", "ok"),
    { path: location, headers: soap12, body: writeEnvelope("1.2", states("840")) },
  ],
  [ofLocation(get, "http-get", "caller_fault"), { path: `${location}/${get}?countryId=x` }],
  [
    ofLocation(get, "json", "caller_fault"),
    { path: `${location}/${get}`, headers: json, body: "{" },
  ],
  [ofLocation("unknown", "soap11", "caller_fault"), { path: location, headers: xml, body: "<a" }],
  [
    ofLocation("unknown", "soap11", "caller_fault"),
    { path: location, headers: xml, body: writeEnvelope("1.1", states("x")) },
  ],
  [ofLocation("unknown", "http-get", "caller_fault"), { path: `${location}/Nope?countryId=840` }],
  [ofRest("findPlaces", "ok"), { path: "/api/v1/places/US/10001" }],
  [ofRest("findPlaces", "caller_fault"), { path: "/api/v1/places/USA/10001" }],
  [ofRest("logOut", "caller_fault"), { path: "/api/v1/log-out", headers: json, body: "{" }],
];
for (const [key, sent] of calls) {
  test(`a call counts once, as ${key}`, async () => {
    const changes = await changesOf(url, "wfh_requests_total", () => send(url, sent));
    assert.deepEqual(changes, { [key]: 1 });
  });
}

describe("what becomes of a page request", () => {
  const ofPage = (outcome: string) =>
    callsOf("WebFormsAjaxEndpoint", "LogPageRequestAsync", "json", outcome);
  const cases: readonly (readonly [outcome: string, reason: Error | undefined])[] = [
    ["ok", undefined],
    ["refused", new NotStoredError("busy")],
    ["server_fault", new NotStoredError("unavailable")],
    ["server_fault", new Error("a bug")],
  ];
  for (const [outcome, reason] of cases) {
    test(`counts as ${outcome} when the store says ${reason?.message ?? "nothing"}`, async () => {
      const stored = await startWith(reason);
      const changes = await changesOf(stored, "wfh_requests_total", () =>
        send(stored, { path: `${endpoint}/LogPageRequestAsync`, headers: json, body: "{}" }),
      );
      assert.deepEqual(changes, { [ofPage(outcome)]: 1 });
      const body = '[{"formId":"1","eventKey":"counted-1"},{"formId":"1","eventKey":"counted-2"}]';
      const ofBatch = await changesOf(stored, "wfh_requests_total", () =>
        send(stored, { path: "/api/v1/page-requests", headers: json, body }),
      );
      assert.deepEqual(ofBatch, { [ofRest("logPageRequests", outcome)]: 1 });
    });
  }
});

/** Starts a server whose store fails to take page requests for a reason. */
async function startWith(reason: Error | undefined): Promise<string> {
  const append = () => (reason === undefined ? Promise.resolve() : Promise.reject(reason));
  const stored = await startServer({ WFH_METRICS: "on" }, { stub: { pageRequests: { append } } });
  after(() => stored.close());
  return stored.url;
}

test("what is no call counts by what took it and its class of status", async () => {
  const others: readonly (readonly [kind: string, status: string, path: string, method: string])[] =
    [
      ["page", "2xx", "/healthz", "GET"],
      ["document", "2xx", `${location}?wsdl`, "GET"],
      ["response", "4xx", "/nope", "GET"],
      ["response", "4xx", "/healthz", "POST"],
      ["response", "4xx", "/api/v1/log-out", "GET"],
    ];
  for (const [kind, status, path, method] of others) {
    const headers: Record<string, string> = method === "POST" ? json : {};
    const changes = await changesOf(url, "wfh_other_requests_total", () =>
      fetch(url + path, { method, headers, ...(method === "POST" ? { body: "[]" } : {}) }),
    );
    const own = 'wfh_other_requests_total{kind="page",status="2xx"}';
    const key = `wfh_other_requests_total{kind="${kind}",status="${status}"}`;
    // Reading the metrics is one more page.
    assert.deepEqual(changes, key === own ? { [own]: 2 } : { [own]: 1, [key]: 1 }, path);
  }
});

test("times are counted for each call, whatever became of it, and add up", async () => {
  const key = `wfh_request_duration_seconds_count{service="LocationUIHelper",operation="${get}",binding="json"}`;
  const changes = await changesOf(url, "wfh_request_duration_seconds", async () => {
    for (const body of ['{"countryId":840}', "{", '{"countryId":840}']) {
      await send(url, { path: `${location}/${get}`, headers: json, body });
    }
  });
  assert.deepEqual(changes, { [key]: 3 });
  const families = await readMetrics(url);
  const timed = families.get("wfh_request_duration_seconds")?.samples ?? [];
  const counted = families.get("wfh_requests_total")?.samples ?? [];
  const sumOf = (values: readonly { readonly value: number }[]) =>
    values.reduce((sum, { value }) => sum + value, 0);
  const counts = timed.filter(({ name }) => name.endsWith("_count"));
  assert.equal(sumOf(counts), sumOf(counted));
  const sums = timed.filter(({ name }) => name.endsWith("_sum"));
  assert.ok(sums.every(({ value }) => value > 0 && value < 10));
});

test("page requests that are stored count in transactions, with their rows", async () => {
  const sent = { path: `${endpoint}/LogPageRequestAsync`, headers: json, body: "{}" };
  const before = await readSamples(url);
  await Promise.all(Array.from({ length: 20 }, () => send(url, sent)));
  const now = await readSamples(url);
  const changeOf = (name: string) => (now.get(name) ?? 0) - (before.get(name) ?? 0);
  assert.equal(changeOf("wfh_page_request_batch_rows_sum"), 20);
  const batches = changeOf("wfh_page_request_batch_rows_count");
  assert.ok(batches >= 1 && batches <= 20);
  assert.equal(changeOf("wfh_page_request_commit_seconds_count"), batches);
  assert.ok(changeOf("wfh_page_request_commit_seconds_sum") > 0);
  assert.equal(now.get("wfh_page_request_commit_failures_total"), 0);
  assert.equal(now.get("wfh_page_requests_queued"), 0);
});

test("page requests count whose event key another network has used, alone and in an array", async () => {
  const proxied = await startTestServer({
    WFH_METRICS: "on",
    WFH_TRUSTED_PROXIES: "127.0.0.1",
  });
  const sendFrom = (address: string, body: object) =>
    send(proxied.url, {
      path: "/api/v1/page-requests",
      headers: { ...json, "X-Forwarded-For": address },
      body: JSON.stringify(body),
    });
  const of = (...keys: readonly number[]) =>
    keys.map((key) => ({ formId: "1", eventKey: `used-key-${key}` }));
  const name = "wfh_page_request_key_conflicts_total";
  const countOf = async (work: () => Promise<unknown>) =>
    (await changesOf(proxied.url, name, work))[name] ?? 0;
  assert.equal(await countOf(() => sendFrom("198.51.100.7", of(1, 2, 3))), 0);
  assert.equal(await countOf(() => sendFrom("198.51.100.8", of(1, 2, 3))), 0);
  assert.equal(await countOf(() => sendFrom("203.0.113.9", of(1)[0] ?? {})), 1);
  assert.equal(await countOf(() => sendFrom("203.0.113.9", of(2, 3, 4))), 2);
});

test("names that callers make up never become lines", async () => {
  // The first of a kind may bring lines of its own, names or not.
  await askForRandomNames(1);
  const before = [...(await readSamples(url)).keys()];
  const names = await askForRandomNames(200);
  const samples = await readSamples(url);
  assert.deepEqual([...samples.keys()], before);
  for (const name of names) assert.ok(![...samples.keys()].some((key) => key.includes(name)));
  const unknown = ["http-get", "http-post", "json", "soap11"].map(
    (binding) => samples.get(ofLocation("unknown", binding, "caller_fault")) ?? 0,
  );
  for (const count of unknown) assert.ok(count >= 200);
});

/** Calls operations that there are not, each in five ways; resolves to their names. */
async function askForRandomNames(count: number): Promise<readonly string[]> {
  const names = Array.from({ length: count }, () => `X${randomBytes(8).toString("hex")}`);
  for (const name of names) {
    await Promise.all([
      send(url, { path: `${location}/${name}?${name}=1` }),
      send(url, { path: `${location}/${name}`, headers: form, body: `${name}=1` }),
      send(url, { path: `${location}/${name}`, headers: json, body: `{"${name}":1}` }),
      send(url, {
        path: location,
        headers: xml,
        body: writeEnvelope("1.1", `<${name} xmlns="urn:l/"/>`),
      }),
      fetch(`${url}/${name}`, { method: "DELETE", headers: { [name]: name } }),
    ]);
  }
  return names;
}

test("the state of server, postal data and process is told", async () => {
  const samples = await readSamples(url);
  const reported: Readonly<Record<string, number>> = {
    wfh_ready: 1,
    wfh_draining: 0,
    wfh_page_requests_queue_max: 10_000,
    wfh_connections_max: 10_000,
    wfh_connections_dropped_total: 0,
    wfh_bugs_total: 0,
    wfh_gazetteer_countries: 2,
    wfh_place_overrides: 0,
    wfh_log_ins_under_way: 0,
    'wfh_password_hashes{state="running"}': 0,
    'wfh_password_hashes{state="waiting"}': 0,
    [`nodejs_version_info{version="${process.version}"}`]: 1,
  };
  for (const [key, value] of Object.entries(reported)) assert.equal(samples.get(key), value, key);
  const { facts } = openGazetteer(builtInGazetteer);
  assert.equal(samples.get("wfh_gazetteer_postal_codes"), facts.postalCodeCount);
  const ageDays = (Date.now() - Date.parse(facts.dataDate)) / 86_400_000;
  assert.ok(Math.abs((samples.get("wfh_gazetteer_age_days") ?? 0) - ageDays) < 0.01);
  for (const name of [
    "nodejs_eventloop_lag_p50_seconds",
    "nodejs_eventloop_busy_seconds_total",
    "process_cpu_seconds_total",
    "process_resident_memory_bytes",
    "nodejs_external_memory_bytes",
    "nodejs_heap_size_used_bytes",
    "process_start_time_seconds",
  ]) {
    assert.ok((samples.get(name) ?? 0) > 0, name);
  }
});

test("many who read at the same time all get a whole answer", async () => {
  const all = await Promise.all(Array.from({ length: 30 }, () => readMetrics(url)));
  for (const families of all) assert.equal(families.size, all[0]?.size);
});
