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
import { readHead } from "./incoming-request.ts";

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

/** One way to send a call. */
const ways = {
  json: (operation: string) => ({
    path: `${ajaxEndpoint.path}/${operation}`,
    headers: ["Content-Type", "application/json"],
    body: "{}",
  }),
  soap11: (operation: string) => ({
    path: ajaxEndpoint.path,
    headers: [
      "Content-Type",
      "text/xml; charset=utf-8",
      "SOAPAction",
      `"urn:endpoint/IWebFormsAjaxEndpoint/${operation}"`,
    ],
    body: `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><${operation} xmlns="urn:endpoint"/></e:Body></e:Envelope>`,
  }),
};

type Way = ReturnType<(typeof ways)["json"]>;

async function responseTo({ path, headers, body }: Way, run: (context: RequestContext) => unknown) {
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
  test(`${name}: a response that depends on credentials is not stored by caches`, async () => {
    const response = await responseTo(way("LogInUser"), () => result);
    assert.equal(response.status, 200);
    assert.deepEqual(valuesOf(response, "Cache-Control"), ["no-store"]);
    assert.deepEqual(valuesOf(response, "Vary"), ["Cookie"]);
    assert.deepEqual(valuesOf(response, "Set-Cookie"), []);
    assert.deepEqual(valuesOf(response, "Retry-After"), []);
  });

  test(`${name}: a fault of such an operation is not stored by caches and changes no cookie`, async () => {
    const response = await responseTo(way("LogInUser"), (context) => {
      context.changeCookie("expire");
      context.retryAfter(17);
      throw new Fault("unavailable", "Log-ins cannot be served now");
    });
    assert.match(response.body, /cannot be served now/);
    assert.deepEqual(valuesOf(response, "Cache-Control"), ["no-store"]);
    assert.deepEqual(valuesOf(response, "Vary"), ["Cookie"]);
    assert.deepEqual(valuesOf(response, "Set-Cookie"), []);
    assert.deepEqual(valuesOf(response, "Retry-After"), ["17"]);
  });

  test(`${name}: a response changes the cookie as the operation said last`, async () => {
    const response = await responseTo(way("LogInUser"), (context) => {
      context.changeCookie("expire");
      context.changeCookie({ token, maxAgeS: 60, sameSite: "lax" });
      context.retryAfter(3);
      return result;
    });
    assert.deepEqual(valuesOf(response, "Set-Cookie"), [
      `__Host-wfal=v1.${token.selector}.v; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=60`,
    ]);
    assert.deepEqual(valuesOf(response, "Retry-After"), ["3"]);
  });

  test(`${name}: a response that cannot be written changes no cookie`, async () => {
    const response = await responseTo(way("LogInUser"), (context) => {
      context.changeCookie("expire");
      return {
        get Contact_Id() {
          throw new Error("the result is broken");
        },
      };
    });
    assert.equal(response.status, 500);
    assert.deepEqual(valuesOf(response, "Set-Cookie"), []);
  });

  test(`${name}: a response without credentials is the binding's own`, async () => {
    const response = await responseTo(way("LogPageRequestAsync"), () => undefined);
    assert.equal(response.status, 200);
    assert.deepEqual(valuesOf(response, "Cache-Control"), ["private"]);
    assert.deepEqual(valuesOf(response, "Vary"), []);
  });
}

test("a call that names its operation in the address is not stored by caches even if it cannot be read", async () => {
  const response = await responseTo({ ...ways.json("LogInUser"), body: "[" }, () =>
    assert.fail("it is called"),
  );
  assert.equal(response.status, 500);
  assert.deepEqual(valuesOf(response, "Cache-Control"), ["no-store"]);
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
    const fault = (one: Fault) => void logged.push(one);
    const log = Object.assign(Object.create(app.log), { fault });
    const response = await handleRequest(incoming, { ...app, services, pages, log });
    assert.equal(response.status, 500);
    assert.ok(!response.body.includes("secret"), response.body);
  }
  assert.deepEqual(
    logged.map(({ code }) => code),
    ["receiver", "receiver"],
  );
});
