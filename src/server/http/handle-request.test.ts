import assert from "node:assert/strict";
import { test } from "node:test";
import { testApp } from "../../../test/server/test-app.ts";
import type { HttpResponse } from "../../bindings/http.ts";
import { json } from "../../bindings/json.ts";
import { soap11 } from "../../bindings/soap11.ts";
import { ajaxEndpoint } from "../../contract/ajax-endpoint.ts";
import { Fault } from "../../fault.ts";
import { RequestMeter } from "../metrics/request-meter.ts";
import type { App, RequestContext } from "./app.ts";
import { handleRequest } from "./handle-request.ts";
import { readHead } from "./request-head.ts";

const result = { Contact_Id: 7n, ErrorMessage: null, Record_Id: 7n, Success: true };
const token = { selector: "s".repeat(21), validator: "v" };

const service = { contract: ajaxEndpoint, namespace: "urn:endpoint" };
const bindings = { json: json(service), soap11: soap11(service) };

/** An app whose operations do what a test says. */
function appOf(run: (context: RequestContext) => unknown): App {
  const meter = new RequestMeter(() => 0);
  return testApp({
    meter,
    services: [
      {
        path: ajaxEndpoint.path,
        callers: ajaxEndpoint.callers,
        bindings: new Map(Object.values(bindings).map((binding) => [binding.name, binding])),
        operations: new Map(
          ["LogInUser", "LogPageRequestAsync"].map((name) => [
            name,
            (_input, context) => run(context),
          ]),
        ),
        findCounter: meter.countersOf(ajaxEndpoint),
        credentialOperations: new Set(["LogInUser"]),
        hasDocument: () => false,
        renderDocument: () => assert.fail("no request is for the help page"),
      },
    ],
  });
}

/** How a call of an operation is sent. */
const ways = {
  json: (operation: string) => ({
    path: `${ajaxEndpoint.path}/${operation}`,
    headers: ["Content-Type", "application/json"],
    body: "{}",
  }),
  soap11: (operation: string) => ({
    path: ajaxEndpoint.path,
    headers: [
      ...["Content-Type", "text/xml; charset=utf-8"],
      ...["SOAPAction", `"urn:endpoint/IWebFormsAjaxEndpoint/${operation}"`],
    ],
    body: `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><${operation} xmlns="urn:endpoint"/></e:Body></e:Envelope>`,
  }),
};

type Way = ReturnType<(typeof ways)["json"]>;

async function answerTo({ path, headers, body }: Way, run: (context: RequestContext) => unknown) {
  const incoming = {
    id: "r-1",
    head: readHead("POST", path, headers),
    isAdmin: false,
    peer: undefined,
    body: () => Promise.resolve(Buffer.from(body)),
  };
  return handleRequest(incoming, appOf(run));
}

function valuesOf({ headers }: HttpResponse, name: string): readonly string[] {
  return headers.filter((_value, i) => i % 2 === 1 && headers[i - 1] === name);
}

for (const [name, way] of Object.entries(ways)) {
  test(`${name}: an answer that depends on credentials is kept by nobody`, async () => {
    const answer = await answerTo(way("LogInUser"), () => result);
    assert.equal(answer.status, 200);
    assert.deepEqual(valuesOf(answer, "Cache-Control"), ["no-store"]);
    assert.deepEqual(valuesOf(answer, "Vary"), ["Cookie"]);
    assert.deepEqual(valuesOf(answer, "Set-Cookie"), []);
    assert.deepEqual(valuesOf(answer, "Retry-After"), []);
  });

  test(`${name}: a fault of such an operation is kept by nobody and changes no cookie`, async () => {
    const answer = await answerTo(way("LogInUser"), (context) => {
      context.changeCookie("expire");
      context.retryAfter(17);
      throw new Fault("unavailable", "Log-ins cannot be served now");
    });
    assert.match(answer.body, /cannot be served now/);
    assert.deepEqual(valuesOf(answer, "Cache-Control"), ["no-store"]);
    assert.deepEqual(valuesOf(answer, "Vary"), ["Cookie"]);
    assert.deepEqual(valuesOf(answer, "Set-Cookie"), []);
    assert.deepEqual(valuesOf(answer, "Retry-After"), ["17"]);
  });

  test(`${name}: an answer changes the cookie as the operation said last`, async () => {
    const answer = await answerTo(way("LogInUser"), (context) => {
      context.changeCookie("expire");
      context.changeCookie({ token, maxAgeS: 60, sameSite: "lax" });
      context.retryAfter(3);
      return result;
    });
    assert.deepEqual(valuesOf(answer, "Set-Cookie"), [
      `__Host-wfal=v1.${token.selector}.v; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=60`,
    ]);
    assert.deepEqual(valuesOf(answer, "Retry-After"), ["3"]);
  });

  test(`${name}: an answer that cannot be written changes no cookie`, async () => {
    const answer = await answerTo(way("LogInUser"), (context) => {
      context.changeCookie("expire");
      return {
        get Contact_Id() {
          throw new Error("the result is broken");
        },
      };
    });
    assert.equal(answer.status, 500);
    assert.deepEqual(valuesOf(answer, "Set-Cookie"), []);
  });

  test(`${name}: an answer without credentials is the binding's own`, async () => {
    const answer = await answerTo(way("LogPageRequestAsync"), () => undefined);
    assert.equal(answer.status, 200);
    assert.deepEqual(valuesOf(answer, "Cache-Control"), ["private"]);
    assert.deepEqual(valuesOf(answer, "Vary"), []);
  });
}

test("a call that names its operation in the address is kept by nobody even if it cannot be read", async () => {
  const answer = await answerTo({ ...ways.json("LogInUser"), body: "[" }, () =>
    assert.fail("it is called"),
  );
  assert.equal(answer.status, 500);
  assert.deepEqual(valuesOf(answer, "Cache-Control"), ["no-store"]);
});

test("a page or a document that cannot be made is a 500 without its reason, and is logged", async () => {
  const broken = () => {
    throw new Error("secret reason");
  };
  const app = appOf(() => result);
  const services = app.services.map((one) => ({
    ...one,
    hasDocument: () => true,
    document: broken,
  }));
  const logged: Fault[] = [];
  for (const path of ["/", ajaxEndpoint.path]) {
    const incoming = {
      id: "r-1",
      head: readHead("GET", path, []),
      isAdmin: false,
      peer: undefined,
      body: () => assert.fail("a GET has no body"),
    };
    const pages = new Map([["/", broken]]);
    const log = { ...app.log, fault: (fault: Fault) => void logged.push(fault) };
    const answer = await handleRequest(incoming, { ...app, services, pages, log });
    assert.equal(answer.status, 500);
    assert.ok(!answer.body.includes("secret"), answer.body);
  }
  assert.deepEqual(
    logged.map(({ code }) => code),
    ["receiver", "receiver"],
  );
});
