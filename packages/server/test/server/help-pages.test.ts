import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { ajaxEndpoint } from "../../src/contract/ajax-endpoint.ts";
import { locationHelper } from "../../src/contract/location-helper.ts";
import { problems } from "../../src/contract/problems.ts";
import { restApi } from "../../src/contract/rest-api.ts";
import { exchange, readResponse } from "../exchange.ts";
import { startTestServer } from "../test-server.ts";

const server = await startTestServer();
const admin = await startTestServer({ WFH_HELP_PAGES: "admin" });
const off = await startTestServer({ WFH_HELP_PAGES: "off" });

const { path: location } = locationHelper;
const { path: endpoint } = ajaxEndpoint;
const { path: api } = restApi;
const operation = `${location}?op=PostalCodeToCityState`;
const logIn = `${endpoint}?op=LogInUser`;
const resource = `${api}?op=findPlaces`;
const pages = [
  "/",
  "/?postalCode=10001",
  location,
  endpoint,
  operation,
  logIn,
  `${endpoint}?op=LogPageRequestAsync`,
  api,
  resource,
  `${api}?op=logPageRequests`,
];

/** The response to a request with header lines of the test's choice. */
async function ask(url: string, target: string, fields: readonly string[] = [], method = "GET") {
  const host = fields.some((field) => field.startsWith("Host:")) ? [] : ["Host: a.example"];
  const head = [`${method} ${target} HTTP/1.1`, ...host, ...fields, "Connection: close"];
  return readResponse(await exchange(url, Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "latin1")));
}

const here = ["Host: 127.0.0.1:8080"];
const hasForm = (body: string) => body.includes("<form");

function sourceOf(body: string, element: string): string | undefined {
  const text = new RegExp(`<${element}>(.*?)</${element}>`, "s").exec(body)?.[1];
  if (text === undefined) return undefined;
  return `${element}-src 'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

for (const target of pages) {
  test(`${target} is a page of its own, whose policy allows nothing but what stands in it`, async () => {
    const { status, headers, body } = await ask(server.url, target);
    assert.equal(status, 200);
    assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
    assert.equal(headers.get("cache-control"), "private, max-age=0");
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("referrer-policy"), "no-referrer");
    assert.ok(!headers.has("set-cookie"));
    const script = sourceOf(body, "script");
    const expected = [
      "default-src 'none'",
      ...(script === undefined ? [] : [script, "connect-src 'self'"]),
      sourceOf(body, "style"),
      "img-src data:",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ];
    assert.equal(headers.get("content-security-policy"), expected.join("; "));
    assert.doesNotMatch(
      body,
      / style="| on\w+="|<(?:script|img|iframe|link)[^>]* (?:src|href)="http/,
    );
    assert.ok(Buffer.byteLength(body) < 81_920, "a page is small");
  });
}

test("links of pages are relative, so that they hold below any path", async () => {
  const bodies = await Promise.all(pages.map((target) => ask(server.url, target)));
  for (const { body } of bodies) {
    const links = [...body.matchAll(/<(?:a|form)\b[^>]* (?:href|action)="([^"]*)"/g)].map(
      ([, link]) => link ?? "",
    );
    assert.notEqual(links.length, 0);
    assert.deepEqual(
      links.filter((link) => link.startsWith("/") || /^https?:/.test(link)),
      [],
    );
  }
});

test("the help page leads to every operation and to every document that there is", async () => {
  for (const { path, operations } of [locationHelper, ajaxEndpoint]) {
    const { body } = await ask(server.url, path);
    for (const name of Object.keys(operations)) assert.ok(body.includes(`href="?op=${name}"`));
    const links = [...body.matchAll(/<th scope="row"><a href="([^"]*)"/g)].map(([, link]) => link);
    assert.ok(links.length >= 4);
    for (const link of links) {
      const { pathname, search } = new URL(link ?? "", `http://a.example${path}`);
      const { status, headers } = await ask(server.url, pathname + search);
      assert.equal(status, 200, link);
      assert.doesNotMatch(headers.get("content-type") ?? "", /html/);
    }
  }
});

test("the help page tells the namespace, and its recipes stand up to any address and namespace", async () => {
  const { url } = await startTestServer({
    WFH_BASE_URL: `http://a"b/$(id)/&lt;/'`,
    WFH_LOCATION_NAMESPACE: "urn:]]$(id)`id`/",
  });
  const page = await ask(url, location);
  // Where lines may be wrapped is no part of the text.
  const body = page.body.replaceAll("<wbr>", "");
  assert.ok(body.includes('namespace <code class="anywhere">urn:]]$(id)`id`/</code>'));
  // The page shows a page: what is escaped in that is escaped once more.
  assert.ok(body.includes('&lt;script src="http://a&amp;quot;b/$(id)/&amp;amp;lt;/&amp;#39;/api/'));
  assert.ok(body.includes("wsdl \"http://a%22b/%24(id)/&amp;lt;/'/api/"));
});

describe("?op=", () => {
  test("finds an operation in any case", async () => {
    for (const query of [
      "op=postalcodetocitystate",
      "OP=POSTALCODETOCITYSTATE",
      "x=1&Op=PostalCodeToCityState",
    ]) {
      const { status, body } = await ask(server.url, `${location}?${query}`);
      assert.equal(status, 200);
      assert.match(body, /<h1>Postal<wbr>Code<wbr>To<wbr>City<wbr>State<\/h1>/);
    }
  });
  for (const [address, known] of [
    [location, "?op=PostalCodeToCityState"],
    [endpoint, "?op=LogInUser"],
    [api, "?op=findPlaces"],
  ] as const) {
    test(`of an unknown name at ${address} is a 404 with the list, the name as text and a link home`, async () => {
      const name = encodeURIComponent(`"><script>alert(1)</script>`);
      const { status, body } = await ask(server.url, `${address}?op=${name}`);
      assert.equal(status, 404);
      assert.match(body, /Unknown operation/);
      assert.ok(body.includes("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"));
      assert.ok(!body.includes("<script>alert"));
      assert.ok(body.includes(`<h3><a href="${known}">`));
      const [, home = ""] = /<a href="([^"]*)">Go to the start page<\/a>/.exec(body) ?? [];
      assert.equal(new URL(home, server.url + address).href, `${server.url}/`);
    });
    test(`of no name, and other parameters, at ${address} return the page without a notice`, async () => {
      for (const query of ["op=", "utm_source=mail"]) {
        const { status, body } = await ask(server.url, `${address}?${query}`);
        assert.equal(status, 200);
        assert.ok(!body.includes("Unknown operation"));
      }
    });
  }
  test("of a very long name repeats its beginning only", async () => {
    const { body } = await ask(server.url, `${location}?op=${"a".repeat(500)}`);
    assert.ok(body.includes(`${"a".repeat(80)}…`));
    assert.ok(!body.includes("a".repeat(81)));
  });
  test("of a property that every object has reports an unknown operation", async () => {
    const { status, body } = await ask(server.url, `${location}?op=constructor`);
    assert.equal(status, 404);
    assert.match(body, /Unknown operation/);
  });
});

describe("the address in a page", () => {
  test("is that of the request's Host, for each caller anew", async () => {
    for (const host of ["one.example", "two.example:8081", "one.example"]) {
      const { body } = await ask(server.url, operation, [`Host: ${host}`]);
      assert.ok(body.includes(`http://${host}${location}`));
      assert.ok(host !== "one.example" || !body.includes("two.example"));
    }
  });
});

test("the page of an operation has the messages of every binding and programs that call it", async () => {
  const { body } = await ask(server.url, operation);
  for (const binding of locationHelper.bindings) {
    for (const values of ["example", "placeholders"]) {
      for (const kind of ["request", "response"]) {
        assert.ok(
          body.includes(`id="${binding}-${values}-${kind}"`),
          `${binding} ${values} ${kind}`,
        );
      }
    }
  }
  for (const language of ["curl", "fetch", "C#", "PHP", "Python"]) {
    assert.ok(body.includes(`<h3>${language}</h3>`), language);
  }
});

test("a HEAD of a page gets the response to a GET without the body; other methods are refused", async () => {
  for (const target of ["/", "/healthz", "/readyz"]) {
    const got = await ask(server.url, target);
    const { status, headers, body } = await ask(server.url, target, [], "HEAD");
    assert.deepEqual([status, body], [got.status, ""], target);
    assert.equal(headers.get("content-length"), String(Buffer.byteLength(got.body)), target);
    const refused = await ask(server.url, target, [], "POST");
    assert.equal(refused.status, 405, target);
    assert.equal(refused.headers.get("allow"), "GET, HEAD", target);
  }
});

describe("with WFH_HELP_PAGES=on", () => {
  test("operations with credentials have no form, the others have one", async () => {
    for (const name of Object.keys(ajaxEndpoint.operations)) {
      const { body } = await ask(server.url, `${endpoint}?op=${name}`, here);
      assert.equal(hasForm(body), name === "LogPageRequestAsync", name);
    }
    assert.ok(hasForm((await ask(server.url, operation)).body));
  });
});

describe("with WFH_HELP_PAGES=admin", () => {
  for (const target of pages) {
    test(`${target} is shown at the admin listener only`, async () => {
      assert.equal((await ask(admin.adminUrl, target, here)).status, 200);
      const { status, headers, body } = await ask(admin.url, target, here);
      assert.equal(status, 403);
      assert.equal(headers.get("content-type"), "text/plain; charset=utf-8");
      assert.match(body, /WFH_ADMIN_PORT/);
    });
  }
  test("documents for clients stay with everybody", async () => {
    for (const target of [`${location}?wsdl`, `${endpoint}?disco`, `${location}/js`]) {
      assert.equal((await ask(admin.url, target)).status, 200);
    }
  });
});

test("operations with credentials have a form at the admin listener", async () => {
  assert.ok(hasForm((await ask(server.adminUrl, logIn, here)).body));
});

describe("with WFH_HELP_PAGES=off", () => {
  test("there are no pages, not at the admin listener either", async () => {
    for (const target of pages) {
      for (const url of [off.url, off.adminUrl]) {
        const { status, headers } = await ask(url, target, here);
        assert.equal(status, 404);
        const type = target.startsWith(api)
          ? "application/problem+json"
          : "text/plain; charset=utf-8";
        assert.equal(headers.get("content-type"), type);
      }
    }
  });
  test("documents for clients and health stay", async () => {
    for (const target of [`${location}?wsdl`, `${endpoint}/js`, "/healthz"]) {
      assert.equal((await ask(off.url, target)).status, 200);
    }
  });
});

describe("an unknown address", () => {
  const browser = ["Accept: text/html,application/xhtml+xml,*/*;q=0.8"];
  test("gets plain text, not a page, for a program", async () => {
    for (const fields of [[], ["Accept: */*"], ["Accept: application/json"]]) {
      const { status, headers } = await ask(server.url, "/nowhere", fields);
      assert.equal(status, 404);
      assert.equal(headers.get("content-type"), "text/plain; charset=utf-8");
    }
    assert.equal(
      (await ask(server.url, "/nowhere", browser, "POST")).headers.get("content-type"),
      "text/plain; charset=utf-8",
    );
  });
  test("gets a page with a link home for a browser, at any depth, with the path as text", async () => {
    const { status, headers, body } = await ask(
      server.url,
      "/a/b/<script>alert(1)</script>",
      browser,
    );
    assert.equal(status, 404);
    assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
    assert.match(
      headers.get("content-security-policy") ?? "",
      /^default-src 'none'; style-src 'sha256-/,
    );
    assert.match(body, /<a href="(?:\.\.\/)+">Go to the start page<\/a>/);
    assert.ok(!body.includes("<script>alert"));
    const { body: long } = await ask(server.url, `/${"a".repeat(500)}`, browser);
    assert.ok(!long.includes("a".repeat(201)));
    const empty = await ask(server.url, "/a/b", browser, "HEAD");
    assert.deepEqual([empty.status, empty.body], [404, ""]);
  });
  test("gets text where pages are not shown", async () => {
    for (const { url } of [off, admin]) {
      const { status, headers } = await ask(url, "/nowhere", browser);
      assert.equal(status, 404);
      assert.equal(headers.get("content-type"), "text/plain; charset=utf-8");
    }
  });
});

describe("the search box of the root page", () => {
  const searchFor = async (query: string) => (await ask(server.url, `/?${query}`)).body;
  test("answers with the place", async () => {
    const body = await searchFor("postalCode=02108");
    assert.match(body, /<strong>Boston, Massachusetts \(US\)<\/strong>/);
    assert.match(body, /name="postalCode" value="02108"/);
  });
  test("says so where no place has the code", async () => {
    assert.match(
      await searchFor("postalCode=00000"),
      /class="found notdone".*No place has that code/s,
    );
  });
  test("shows what was typed as text, and of a long text the beginning", async () => {
    const typed = `"><script>alert(1)</script>${"x".repeat(100)}`;
    const body = await searchFor(`postalCode=${encodeURIComponent(typed)}`);
    assert.ok(body.includes("&quot;&gt;&lt;script&gt;alert(1)"));
    assert.ok(!body.includes("<script>") && !body.includes("x".repeat(64)));
  });
  test("does nothing without a code", async () => {
    for (const query of ["", "postalCode=", "postalCode=%20", "code=10001"]) {
      assert.doesNotMatch(await searchFor(query), /class="found/);
    }
  });
});

test("the outcome of an example is said in words", async () => {
  const said = [
    [operation, "done", "New York, New York (US)"],
    [logIn, "done", "Logged in: contact 20260114093000417, record 104233"],
    [`${endpoint}?op=TryAutoLogIn`, "notdone", "Not logged in"],
    [`${api}?op=listCountries`, "done", "Countries: 1"],
    [`${api}?op=logPageRequests`, "done", "Logged"],
  ] as const;
  for (const [target, kind, words] of said) {
    const { body } = await ask(server.url, target);
    const line = `<p class="outcome ${kind}" id="outcome"><strong>${words}</strong></p>`;
    assert.ok(body.includes(line), `${target}: ${words}`);
  }
});

test("the page of the REST API has every operation, problem and sample", async () => {
  const { body } = await ask(server.url, api);
  for (const name of Object.keys(restApi.operations)) {
    assert.ok(body.includes(`<a href="?op=${name}">${name}</a>`), name);
    const { status, body: page } = await ask(server.adminUrl, `${api}?op=${name}`, here);
    assert.equal(status, 200);
    for (const language of ["curl", "fetch", "TypeScript client", "Python", "C#"]) {
      assert.ok(page.includes(`<h3>${language}</h3>`), `${name}: ${language}`);
    }
    assert.doesNotMatch(page, /undefined|\[object/, name);
  }
  for (const name of Object.keys(problems)) assert.ok(body.includes(`<code>${name}</code>`), name);
});

test("the page of a service has a line for each parameter of an operation", async () => {
  const { body } = await ask(server.url, endpoint, here);
  const names = Object.keys(ajaxEndpoint.operations.LogPageRequestAsync.input);
  for (const name of names) {
    assert.match(body.replaceAll("<wbr>", ""), new RegExp(`<li><code>${name}</code> <small>`));
  }
});

test("every button says what it does in a form", async () => {
  for (const target of [...pages, "/demo"]) {
    const { body } = await ask(server.url, target, here);
    const buttons = body.match(/<button[^>]*>/g) ?? [];
    assert.deepEqual(
      buttons.filter((button) => !/ type="(?:button|submit)"/.test(button)),
      [],
    );
  }
});
