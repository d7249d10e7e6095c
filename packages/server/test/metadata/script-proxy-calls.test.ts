import assert from "node:assert/strict";
import { createServer } from "node:http";
import { describe, test } from "node:test";
import { ajaxEndpoint } from "../../src/contract/ajax-endpoint.ts";
import { locationHelper } from "../../src/contract/location-helper.ts";
import { renderScriptProxy } from "../../src/metadata/proxy/script-proxy.ts";
import { openLocally } from "../local-server.ts";
import { openTestSite, password } from "../server/log-in-server.ts";
import { endpointNamespace, locationNamespace } from "../test-server.ts";
import { openScriptPage, type ProxyError } from "./script-proxy-vm.ts";

const proxy = "example.org.forms.IWebFormsAjaxEndpoint";
const site = await openTestSite();

/** A page with both proxies. */
function openPage(isDebug: boolean, origin = site.url) {
  const scripts = [
    { contract: ajaxEndpoint, namespace: endpointNamespace },
    { contract: locationHelper, namespace: locationNamespace },
  ].map(({ contract, namespace }) =>
    renderScriptProxy(contract, { namespace, path: contract.path }, isDebug),
  );
  return openScriptPage(origin, ...scripts);
}

/** Values of another realm, as values of this one. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;

const rows = () => site.server.stored();

for (const isDebug of [true, false]) {
  describe(isDebug ? "calls through jsdebug" : "calls through js", () => {
    test("a success is given the result, the context and the name of the operation", async () => {
      const userName = `bob ${isDebug}`;
      const { contactId, recordId } = await site.addAccount(userName);
      const outcome = await openPage(isDebug).call(`${proxy}.LogInUser`, userName, password);
      assert.equal(outcome.kind, "success");
      assert.deepEqual(outcome.rest, ["the context", "LogInUser"]);
      assert.deepEqual(plain(outcome.result), {
        Contact_Id: Number(contactId),
        ErrorMessage: null,
        Record_Id: Number(recordId),
        Success: true,
      });
    });

    test("an operation without a result gives null", async () => {
      const outcome = await openPage(isDebug).call(`${proxy}.LogPageRequestAsync`, ...logged([]));
      assert.equal(outcome.kind, "success");
      assert.equal(outcome.result, null);
    });

    test("a value of the wrong kind fails with the reason of the service", async () => {
      const outcome = await openPage(isDebug).call(`${proxy}.TryAutoLogIn`, "x1", 2);
      assert.equal(outcome.kind, "failure");
      assert.deepEqual(outcome.rest, ["the context", "TryAutoLogIn"]);
      const { error } = outcome;
      assert.match(error.get_message(), /'form_id' cannot be read/);
      assert.equal(error.get_statusCode(), 500);
      assert.equal(error.get_timedOut(), false);
      assert.equal(error.get_stackTrace(), null);
      assert.equal(error.get_exceptionType(), null);
    });

    test("an operation that the service does not have fails with its reason", async () => {
      const page = openPage(isDebug);
      page.evaluate(
        `var none = { Call: function (a, b, c) {
          ${proxy}._staticInstance._invoke("${ajaxEndpoint.path}", "None", false, {}, a, b, c);
        } };`,
      );
      const outcome = await page.call("none.Call");
      assert.equal(outcome.kind, "failure");
      assert.equal(outcome.error.get_message(), "Endpoint not found.");
      assert.equal(outcome.error.get_statusCode(), 404);
      assert.deepEqual(outcome.rest, ["the context", "None"]);
    });

    test("the location helper responds to its own proxy", async () => {
      const page = openPage(isDebug);
      const found = await page.call("LocationUIHelper.PostalCodeToCityState", 10001);
      assert.equal(found.kind, "success");
      assert.equal((plain(found.result) as { City: string }).City, "New York");
      const none = await page.call("LocationUIHelper.PostalCodeToCityState", "00000");
      assert.deepEqual([none.kind, none.kind === "success" && none.result], ["success", null]);
      const bad = await page.call("LocationUIHelper.GetStateListForCountryId", "abc");
      assert.equal(bad.kind === "failure" && bad.error.get_statusCode(), 500);
    });
  });
}

/** Arguments of LogPageRequestAsync, of which only the first are given. */
function logged(first: readonly unknown[]): readonly unknown[] {
  const count = Object.keys(ajaxEndpoint.operations.LogPageRequestAsync.input).length;
  return [...first, ...Array.from({ length: count - first.length })];
}

describe("values on their way out", () => {
  const longs = [
    [9007199254740993n, 9007199254740993n],
    ["9223372036854775807", 9223372036854775807n],
    [-9223372036854775808n, -9223372036854775808n],
    [9007199254740991, 9007199254740991n],
    [-12, -12n],
  ] as const;
  for (const [given, stored] of longs) {
    test(`a long arrives with all its digits: ${typeof given} ${given}`, async () => {
      const outcome = await openPage(false).call(
        `${proxy}.LogPageRequestAsync`,
        ...logged([given]),
      );
      assert.equal(outcome.kind, "success");
      assert.equal((await rows()).at(-1)?.formId, stored);
    });
  }

  test("a date, a text, a truth and what is left out arrive as they are", async () => {
    const page = openPage(false);
    const date = page.evaluate("new Date(1577934245678)");
    const first = [1, undefined, 'http://a.example/é"', undefined, true, 5, 640, 480, 6, 7, date];
    const outcome = await page.call(`${proxy}.LogPageRequestAsync`, ...logged(first));
    assert.equal(outcome.kind, "success");
    assert.deepEqual(page.bodies, [
      '{"form_id":1,"pageRequestUrl":"http://a.example/é\\"","isAuthenticated":true,"contact_id":5,' +
        '"screenWidth":640,"screenHeight":480,"browserUserAgent_id":6,"crossAppSession_id":7,' +
        '"sessionDate":"/Date(1577934245678)/"}',
    ]);
  });

  for (const bad of [
    "9007199254740992",
    "-1e300",
    "NaN",
    "Infinity",
    "new Date(NaN)",
    "function () {}",
  ]) {
    test(`${bad} is refused before anything is sent`, () => {
      const page = openPage(false);
      const call = `${proxy}.TryAutoLogIn(${bad}, 1)`;
      assert.throws(() => page.evaluate(call), /^(?:Type|Range)Error: form_id /);
      assert.deepEqual(page.bodies, []);
    });
  }
});

describe("values on their way in", () => {
  test("a long that a number holds is a number, a greater one a string with all its digits", async () => {
    const json =
      '{"d":{"Contact_Id":9007199254740993,"ErrorMessage":"12345678901234567890 \\"1","Record_Id":-9007199254740991,"Success":true}}';
    const page = openPage(false, await serve((_url, respond) => respond(200, json)));
    const outcome = await page.call(`${proxy}.LogInUser`, "a", "b");
    assert.equal(outcome.kind, "success");
    assert.deepEqual(plain(outcome.result), {
      Contact_Id: "9007199254740993",
      ErrorMessage: '12345678901234567890 "1',
      Record_Id: -9007199254740991,
      Success: true,
    });
  });

  for (const [status, body] of [
    [200, "<html>"],
    [502, "<html>"],
    [404, ""],
    [500, "{}"],
    [500, "null"],
  ] as const) {
    test(`${status} with ${JSON.stringify(body)} is a failure`, async () => {
      const page = openPage(false, await serve((_url, respond) => respond(status, body)));
      const outcome = await page.call(`${proxy}.LogInUser`, "a", "b");
      assert.equal(outcome.kind, "failure");
      assert.equal(outcome.error.get_statusCode(), status);
      assert.equal(outcome.error.get_message(), "The server method 'LogInUser' failed.");
    });
  }

  test("an address without a server is a failure without a status", async () => {
    const outcome = await openPage(false, "http://127.0.0.1:1").call(
      `${proxy}.LogInUser`,
      "a",
      "b",
    );
    assert.equal(outcome.kind, "failure");
    assert.equal(outcome.error.get_statusCode(), -1);
    assert.equal(outcome.error.get_timedOut(), false);
  });
});

type Respond = (status: number, body: string) => void;

/** Gives one response to all requests until the file's tests end; resolves to its origin. */
function serve(handle: (url: string, respond: Respond) => void): Promise<string> {
  const server = createServer((request, response) => {
    handle(request.url ?? "", (status, body) => response.writeHead(status).end(body));
  });
  return openLocally(server);
}

describe("settings of a proxy", () => {
  const settings = [
    "path",
    "timeout",
    "defaultUserContext",
    "defaultSucceededCallback",
    "defaultFailedCallback",
  ];

  test("all are there as pairs, of the class and of instances, apart from each other", () => {
    const page = openPage(false);
    for (const name of settings) {
      page.evaluate(
        `var one = new ${proxy}(); one.set_${name}("mine"); ${proxy}.set_${name}("all")`,
      );
      assert.equal(page.evaluate(`one.get_${name}() + ${proxy}.get_${name}()`), "mineall");
    }
  });

  test("an instance without a path has that of the class, which pages may change", async () => {
    const asked: string[] = [];
    const page = openPage(
      false,
      await serve((url, respond) => {
        asked.push(url);
        respond(200, '{"d":null}');
      }),
    );
    page.evaluate(`var one = new ${proxy}()`);
    await page.call("one.LogInUser", "a", "b");
    page.evaluate(`${proxy}.set_path("/other.svc")`);
    await page.call("one.LogInUser", "a", "b");
    page.evaluate('one.set_path("/mine.svc")');
    await page.call("one.LogInUser", "a", "b");
    await page.call(`${proxy}.LogInUser`, "a", "b");
    const paths = [ajaxEndpoint.path, "/other.svc", "/mine.svc", "/other.svc"];
    assert.deepEqual(
      asked,
      paths.map((path) => `${path}/LogInUser`),
    );
  });

  test("defaults stand in for callbacks and context that a call leaves out", async () => {
    const page = openPage(false);
    const { promise, resolve } = Promise.withResolvers<readonly unknown[]>();
    page.evaluate(`${proxy}.set_defaultSucceededCallback`)((...values: readonly unknown[]) =>
      resolve(values),
    );
    page.evaluate(`${proxy}.set_defaultUserContext("usual"); ${proxy}.TryAutoLogIn(1, 2)`);
    const [result, ...rest] = await promise;
    assert.equal((plain(result) as { Success: boolean }).Success, false);
    assert.deepEqual(rest, ["usual", "TryAutoLogIn"]);
    const own = await page.call(`${proxy}.TryAutoLogIn`, 1, 2);
    assert.deepEqual(own.rest, ["the context", "TryAutoLogIn"]);
  });
});

describe("a call without a response", () => {
  test("a call that takes longer than the timeout fails once, and says so", async () => {
    const responds: Respond[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const hung = await serve((_url, respond) => {
      responds.push(respond);
      resolve();
    });
    const page = openPage(false, hung);
    page.evaluate(`${proxy}.set_timeout(1500)`);
    const outcome = page.call(`${proxy}.LogInUser`, "a", "b");
    await promise;
    assert.deepEqual(page.passTime(), [1_500]);
    assert.equal(page.abortCount(), 1);
    for (const respond of responds) respond(200, '{"d":null}');
    const failed = await outcome;
    assert.equal(failed.kind, "failure");
    assert.equal(failed.error.get_timedOut(), true);
    assert.equal(failed.error.get_statusCode(), -1);
    assert.equal(failed.error.get_message(), "The server method 'LogInUser' timed out.");
  });

  test("a response in time ends the wait", async () => {
    const page = openPage(false);
    page.evaluate(`${proxy}.set_timeout(1500)`);
    await page.call(`${proxy}.TryAutoLogIn`, 1, 2);
    assert.deepEqual(page.passTime(), []);
  });

  test("a call that is aborted fails, and once it has ended nothing more happens", async () => {
    const page = openPage(false, await serve(() => {}));
    const errors: ProxyError[] = [];
    page.evaluate(`${proxy}.set_defaultFailedCallback`)((error: ProxyError) => errors.push(error));
    page.evaluate(`var executor = ${proxy}.LogInUser("a", "b").get_executor(); executor.abort()`);
    page.evaluate("executor.abort()");
    assert.equal(page.abortCount(), 1);
    assert.deepEqual(
      errors.map((error) => [error.get_timedOut(), error.get_statusCode()]),
      [[false, -1]],
    );
  });
});
