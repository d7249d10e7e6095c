import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { faultCodes } from "@wfh/server/fault.ts";
import { quickFolder } from "@wfh/server/test/quick-folder.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { plainEnvironment, startTestServer } from "@wfh/server/test/test-server.ts";
import { type Client, createClientAsync } from "soap";
import { type RunningMock, startMock } from "../src/mock.ts";
import { program, startWfh } from "./wfh-process.ts";

let mock: RunningMock;
let location: Client;
let endpoint: Client;
before(async () => {
  mock = await startMock({ settings: {} });
  location = await createClientAsync(`${mock.url}/api/LocationUIHelper.asmx?WSDL`);
  // By default node-soap rounds longs.
  const customDeserializer = { long: String };
  const wsdl = `${mock.url}/api/WebFormsAjaxEndpoint.svc?wsdl`;
  endpoint = await createClientAsync(wsdl, { customDeserializer });
});
after(() => mock.close());

const password = "mock-password-1";

/** Looks up a code over SOAP, with a fault in the header where one is given. */
async function lookUp(postalCode: string, fault?: string) {
  const headers = fault === undefined ? {} : { "X-Mock-Fault": fault };
  const [result] = await location["PostalCodeToCityStateAsync"]({ postalCode }, {}, headers);
  return result?.PostalCodeToCityStateResult;
}

/** Logs in over SOAP. */
async function logIn(userName: string, passWord = password) {
  const [result] = await endpoint["LogInUserAsync"]({ userName, passWord });
  return result.LogInUserResult;
}

describe("a SOAP client of a mock", () => {
  test("finds the known postal codes", async () => {
    for (const [code, shown] of Object.entries(mock.postalCodes)) {
      const place = await lookUp(code);
      const found = place?.City ? `${place.City}, ${place.State.StateName}` : null;
      assert.equal(found, shown);
    }
  });

  test("logs in to the known accounts, as the table says", async () => {
    for (const { userName, recordId, contactId, isEnabled } of mock.accounts) {
      const { Success, Record_Id, Contact_Id } = await logIn(userName);
      assert.equal(String(Success), String(isEnabled), userName);
      if (!isEnabled) continue;
      assert.deepEqual([BigInt(Record_Id), BigInt(Contact_Id)], [recordId, contactId]);
    }
  });

  test("gets each fault as a fault of SOAP", async () => {
    for (const fault of faultCodes) {
      const reason = await lookUp("10001", fault).then(assert.fail, (cause) => cause);
      assert.ok([400, 401, 403, 413, 415, 500, 503].includes(reason.response.status), fault);
      assert.match(reason.body, /<soap:Fault>.*<faultstring>/s, fault);
    }
  });

  test("provokes faults without a header, by postal code, user name and page", async () => {
    await assert.rejects(lookUp("00001"), /soap:Server/);
    await assert.rejects(logIn("mock-busy"), /asked for the fault busy/);
    const request = { pageRequestUrl: "https://example.org/order?mock-unavailable" };
    await assert.rejects(endpoint["LogPageRequestAsyncAsync"](request), /fault unavailable/);
    assert.deepEqual(await mock.pageRequests(), []);
  });

  test("loses its connection by reset, and waits by slow", async () => {
    await assert.rejects(lookUp("00007"), { code: "ECONNRESET" });
    const startedMs = performance.now();
    assert.equal((await lookUp("10001", "slow=300")).City, "New York");
    assert.ok(performance.now() - startedMs >= 299);
  });

  test("reads which faults there are, where it names another one", async () => {
    await assert.rejects(lookUp("10001", "bsy"), /no fault bsy\. Use one of sender, .*reset/);
  });
});

describe("a mock", () => {
  test("shows page requests until it is reset, with all digits of ids", async () => {
    const request = { form_id: "9007199254740993", pageRequestUrl: "https://example.org/a" };
    await endpoint["LogPageRequestAsyncAsync"](request);
    const response = await fetch(`${mock.url}/mock/page-requests`);
    const [row] = (await response.json()) as Record<string, unknown>[];
    assert.equal(row?.["form_id"], request.form_id);
    assert.equal(row?.["pageRequestUrl"], request.pageRequestUrl);
    assert.equal((await fetch(`${mock.url}/mock/reset`)).status, 405);
    assert.equal((await fetch(`${mock.url}/mock/reset`, { method: "POST" })).status, 200);
    assert.deepEqual(await mock.pageRequests(), []);
  });

  test("forgets failed log-ins when it is reset", async () => {
    // As many as one network may have in five minutes.
    for (let i = 0; i < 30; i += 5) {
      await Promise.all([1, 2, 3, 4, 5].map((one) => logIn(`nobody-${i + one}`, "wrong")));
    }
    assert.equal(String((await logIn("ada")).Success), "false");
    mock.reset();
    assert.equal(String((await logIn("ada")).Success), "true");
  });

  test("provokes faults over HTTP GET, JSON and REST in the form of each", async () => {
    const headers = { "X-Mock-Fault": "receiver" };
    const service = `${mock.url}/api/LocationUIHelper.asmx/PostalCodeToCityState`;
    const get = await fetch(`${service}?postalCode=10001`, { headers });
    assert.deepEqual([get.status, await get.text()], [500, "Internal error.\n"]);
    const json = { ...headers, "Content-Type": "application/json" };
    const post = await fetch(service, {
      method: "POST",
      body: '{"postalCode":"1"}',
      headers: json,
    });
    assert.equal(post.headers.get("content-type"), "application/json; charset=utf-8");
    const rest = await fetch(`${mock.url}/api/v1/places/US/10001`, { headers });
    assert.equal(rest.headers.get("content-type"), "application/problem+json");
  });

  test("has no effect on wfh serve", async () => {
    const { url } = await startTestServer();
    const service = `${url}/api/LocationUIHelper.asmx/PostalCodeToCityState`;
    const headers = { "X-Mock-Fault": "receiver" };
    for (const code of ["10001", "00001"]) {
      assert.equal((await fetch(`${service}?postalCode=${code}`, { headers })).status, 200);
    }
    assert.equal((await fetch(`${url}/mock/page-requests`)).status, 404);
  });
});

test("wfh mock that cannot start says why, and leaves nothing behind", () => {
  const folder = temporaryFolder();
  const cases = [
    [{ TMPDIR: folder, WFH_GAZETTEER: "/nowhere" }, "File not found: /nowhere.\n"],
    [{ TMPDIR: "/nowhere" }, "Folder not found: /nowhere.\n"],
  ] as const;
  for (const [env, message] of cases) {
    const { status, stderr } = spawnSync(process.execPath, [program, "mock", "--port", "0"], {
      env: { ...plainEnvironment, ...env },
      encoding: "utf8",
      timeout: 20_000,
    });
    assert.deepEqual([status, stderr], [69, message]);
  }
  assert.deepEqual(readdirSync(folder), []);
});

test("the log of a mock says which fault it was asked for", async () => {
  const lines: string[] = [];
  const logged = await startMock({ settings: {}, log: { write: (line) => lines.push(line) } });
  try {
    const code = `${logged.url}/api/LocationUIHelper.asmx/PostalCodeToCityState?postalCode=00001`;
    assert.equal((await fetch(code)).status, 500);
    assert.match(lines.join(""), /"cause":"The mock was asked for the fault receiver"/);
  } finally {
    await logged.close();
  }
});

test("wfh mock prints one line of JSON when it listens, and leaves nothing behind", async () => {
  const folder = temporaryFolder(quickFolder);
  const mock = startWfh(["mock", "--port", "0", "--json"], { settings: { TMPDIR: folder } });
  const { url, accounts } = JSON.parse(await mock.match(/^.*$(?=\n)/m));
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.equal(accounts[0].password, password);
  assert.equal((await fetch(`${url}/readyz`)).status, 200);
  mock.signal("SIGTERM");
  assert.equal(await mock.ended(), 0);
  assert.deepEqual(readdirSync(folder), []);
});
