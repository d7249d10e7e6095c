import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { after, before, describe, test } from "node:test";
import { createServer as createTlsServer } from "node:tls";
import { gzipSync } from "node:zlib";
import { splitLikeWcf } from "./split-wsdl.ts";
import { golden, openVerifyFixture } from "./verify-fixture.ts";

const fixture = openVerifyFixture();
after(() => fixture.close());

const path = "/Services/WebFormsAjaxEndpoint.svc";
const requested: string[] = [];
const server = createServer((request, response) => {
  const url = request.url ?? "";
  requested.push(url);
  const document = wcfDocuments().get(base() + url);
  const link = Number(/^\/chain-(\d+)$/.exec(url)?.[1] ?? -1);
  const made = link < 0 ? document : importing(`chain-${link + 1}`);
  const handler = made === undefined ? handlers[url.slice(1)] : xml(made);
  if (handler === undefined) response.writeHead(404).end("Not found");
  else handler(request, response);
});
before(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const base = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const wcfDocuments = () =>
  splitLikeWcf(golden("ajax-endpoint.wsdl"), (part) => {
    const query = part === "wsdl" ? "wsdl" : `${part.slice(0, -1)}=${part}`;
    return `${base()}${path}?${query}`;
  });

function xml(text: string): RequestListener {
  return (_request, response) => {
    response.writeHead(200, { "Content-Type": "text/xml; charset=utf-8" }).end(text);
  };
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(302, { Location: location }).end();
}

const importing = (location: string) =>
  `<wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/"><wsdl:import namespace="urn:a" location="${location}" /></wsdl:definitions>`;

/** What the old server does, by the path of the request. */
const handlers: Readonly<Record<string, RequestListener>> = {
  gzip: (_request, response) => {
    const bytes = gzipSync(golden("location-helper.wsdl"));
    response.writeHead(200, { "Content-Encoding": "gzip" }).end(bytes);
  },
  "broken-gzip": (_request, response) => {
    response.writeHead(200, { "Content-Encoding": "gzip" }).end("not gzip");
  },
  bomb: (_request, response) => {
    const bytes = gzipSync(Buffer.alloc(50_000_000, " "));
    response.writeHead(200, { "Content-Encoding": "gzip" }).end(bytes);
  },
  moved: (_request, response) => redirect(response, "gzip"),
  "moved-wcf": (_request, response) => redirect(response, `${base()}${path}?wsdl`),
  loop: (_request, response) => redirect(response, "loop"),
  "moved-to-a-file": (_request, response) => redirect(response, "file:///etc/passwd"),
  ntlm: (_request, response) => {
    response.writeHead(401, { "WWW-Authenticate": "NTLM" }).end();
  },
  error: (_request, response) => {
    response.writeHead(500).end("<html>Runtime Error</html>");
  },
  page: xml("<html><body>Log in</body></html>"),
  hangs: () => {},
  drips: (_request, response) => {
    response.writeHead(200).write("<a>");
  },
  reset: (request) => request.socket.destroy(),
  short: (_request, response) => {
    response.writeHead(200, { "Content-Length": 100 }).write("<a>");
    response.destroy();
  },
  elsewhere: xml(importing("http://other.example.com/a?wsdl=wsdl0")),
};

describe("a WSDL at a URL", () => {
  test("is read with its imports, each once", async () => {
    requested.length = 0;
    const { code, differences } = await fixture.verify(`${base()}${path}?wsdl`);
    assert.deepEqual({ code, differences }, { code: 0, differences: [] });
    const queries = ["?wsdl", "?wsdl=wsdl0", "?xsd=xsd0"];
    assert.deepEqual(
      requested,
      queries.map((query) => path + query),
    );
  });

  test("is read after it has moved to another host, where its imports are", async () => {
    const moved = base().replace("127.0.0.1", "localhost");
    const { code } = await fixture.verify(`${moved}/moved-wcf`);
    assert.equal(code, 0);
  });

  for (const name of ["gzip", "moved"]) {
    test(`is read where the response is ${name}`, async () => {
      const { code } = await fixture.verify(`${base()}/${name}`);
      assert.equal(code, 0);
    });
  }
});

describe("a URL that cannot be read is refused with a reason", () => {
  const cases: readonly (readonly [path: string, message: RegExp])[] = [
    ["nowhere", /\/nowhere has status 404\. Check the path of the address\.\n$/],
    ["error", /has status 500/],
    ["ntlm", /asks for a log-in \(NTLM\), which[^\n]*\nSave the WSDL with a browser, and name the/],
    ["page", /is an HTML page/],
    ["broken-gzip", /the response could not be read \(incorrect header check\)/],
    ["bomb", /is longer than 4 MiB/],
    ["loop", /redirect count exceeded\.\nSave the WSDL/],
    ["moved-to-a-file", /URL scheme must be a HTTP\(S\) scheme/],
    ["reset", /it closed the connection before its response was complete/],
    ["short", /it closed the connection before its response was complete/],
    [
      "elsewhere",
      /The import http:\/\/other\.example\.com\/a[^\n]* is not on 127\.0\.0\.1\. Request \?s/,
    ],
    ["chain-0", /\/chain-0 imports more than 40 documents\. Request \?singleWsdl/],
  ];
  for (const [name, message] of cases) {
    test(name, async () => assert.match(await fixture.refusal([`${base()}/${name}`]), message));
  }

  for (const name of ["hangs", "drips"]) {
    test(`a server that ${name}, after --timeout`, async () => {
      const message = await fixture.refusal([`${base()}/${name}`, "--timeout", "1"]);
      assert.match(message, /no complete response within 1 s\. Set --timeout/);
    });
  }

  test("a server that speaks TLS 1.0 only", async () => {
    const old = createTlsServer({
      ciphers: "aNULL:@SECLEVEL=0",
      minVersion: "TLSv1",
      maxVersion: "TLSv1",
    }).listen(0, "127.0.0.1");
    await once(old, "listening");
    const { port } = old.address() as AddressInfo;
    const message = await fixture.refusal([`https://127.0.0.1:${port}/a?wsdl`]);
    old.close();
    assert.match(message, /speaks only TLS 1\.0 or 1\.1[^\n]*\nSave the WSDL with a browser/);
  });

  test("a server without TLS, one that is not there, and a host that is not known", async () => {
    assert.match(
      await fixture.refusal([`https://127.0.0.1:${new URL(base()).port}/`]),
      /no secure/,
    );
    const free = createTcpServer().listen(0, "127.0.0.1");
    await once(free, "listening");
    const { port } = free.address() as AddressInfo;
    await once(free.close(), "close");
    assert.match(await fixture.refusal([`http://127.0.0.1:${port}/`]), /nothing responds there/);
    assert.match(await fixture.refusal(["http://old.invalid/"]), /host name is not known here/);
  });

  test("a password in the URL, which is not repeated", async () => {
    const message = await fixture.refusal(["http://bob:secret@127.0.0.1/a?wsdl"]);
    assert.match(message, /^A URL with a password is not read\./);
    assert.doesNotMatch(message, /secret/);
  });

  test("an invalid URL and an invalid time are errors of the command line", async () => {
    for (const words of [["http://["], ["a.wsdl", "--timeout", "0"]]) {
      assert.equal((await fixture.run(words)).code, 2);
    }
  });
});
