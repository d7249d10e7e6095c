import assert from "node:assert/strict";
import { once } from "node:events";
import type { RequestListener, ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { after, describe, test } from "node:test";
import { createServer as createTlsServer } from "node:tls";
import { gzipSync } from "node:zlib";
import { openRawServer } from "./recorder-fixture.ts";
import { splitLikeWcf } from "./split-wsdl.ts";
import { startStandIn } from "./stand-in.ts";
import { golden, openVerifyFixture } from "./verify-fixture.ts";

const fixture = openVerifyFixture();
after(() => fixture.close());

const path = "/Services/WebFormsAjaxEndpoint.svc";
const old = await startStandIn("old");
old.respond = (response, request) => {
  const url = request.url ?? "";
  const document = wcfDocuments.get(base + url);
  const link = Number(/^\/chain-(\d+)$/.exec(url)?.[1] ?? -1);
  const made = link < 0 ? document : importing(`chain-${link + 1}`);
  const handler = made === undefined ? handlers[url.slice(1)] : xml(made);
  if (handler === undefined) response.writeHead(404).end("Not found");
  else handler(request, response);
};

/** Another server of the machine, such as one for its administrators alone. */
const other = await startStandIn("other");
other.respond = (response) => response.end(golden("location-helper.wsdl"));

const base = old.url;
const wcfDocuments = splitLikeWcf(golden("ajax-endpoint.wsdl"), (part) => {
  const query = part === "wsdl" ? "wsdl" : `${part.slice(0, -1)}=${part}`;
  return `${base}${path}?${query}`;
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

/** Behaviour of the old server by the path of the request. */
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
  long: (_request, response) => {
    response.end(Buffer.alloc(5_000_000, " "));
  },
  moved: (_request, response) => redirect(response, "gzip"),
  "moved-wcf": (_request, response) => redirect(response, `${path}?wsdl`),
  "moved-to-a-port": (_request, response) => redirect(response, `${other.url}/secret`),
  loop: (_request, response) => redirect(response, "loop"),
  "moved-to-a-file": (_request, response) => redirect(response, "file:///etc/passwd"),
  "moved-to-a-password": (_request, response) =>
    redirect(response, base.replace("://", "://bob:secret@")),
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
  "import-of-a-port": xml(importing(`${other.url}/secret`)),
  elsewhere: xml(importing("http://other.example.com/a?wsdl=wsdl0")),
};

describe("a WSDL at a URL", () => {
  test("is read with its imports, each once", async () => {
    old.arrived.length = 0;
    const { code, differences } = await fixture.verify(`${base}${path}?wsdl`);
    assert.deepEqual({ code, differences }, { code: 0, differences: [] });
    const queries = ["?wsdl", "?wsdl=wsdl0", "?xsd=xsd0"];
    assert.deepEqual(
      old.arrived.map(({ target }) => target),
      queries.map((query) => path + query),
    );
  });

  for (const name of ["gzip", "moved", "moved-wcf"]) {
    test(`is read where the response is ${name}`, async () => {
      const { code } = await fixture.verify(`${base}/${name}`);
      assert.equal(code, 0);
    });
  }
});

for (const name of ["moved-to-a-port", "import-of-a-port"]) {
  test(`${name} of the same host, which gets no request`, async () => {
    const message = await fixture.refusal([`${base}/${name}`]);
    assert.ok(message.includes(`${other.url}/secret`), message);
    assert.match(message, /is not at http:\/\/127\.0\.0\.1:\d+, and is not requested\./);
    assert.deepEqual(other.arrived, []);
  });
}

describe("a server is read as the recorder reads it", () => {
  const wsdl = golden("location-helper.wsdl");
  const head = `HTTP/1.1 200 OK\r\nContent-Type: text/xml; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(wsdl)}\r\n\r\n`;
  const heads = {
    "100 Continue without an Expect": `HTTP/1.1 100 Continue\r\n\r\n${head}`,
    "lines that end in LF alone": head.replaceAll("\r", ""),
  };
  for (const [name, sent] of Object.entries(heads)) {
    test(name, async (t) => {
      const old = await openRawServer((socket) => socket.write(sent + wsdl));
      t.after(old.close);
      const { code } = await fixture.verify(`${old.url}a?wsdl`);
      assert.equal(code, 0);
    });
  }
});

const cases: readonly (readonly [path: string, message: RegExp])[] = [
  ["nowhere", /\/nowhere has status 404\. Check the path of the address\.\n$/],
  ["error", /has status 500/],
  ["ntlm", /asks for a log-in \(NTLM\), which[^\n]*\nSave the WSDL with a browser, and name the/],
  ["page", /is an HTML page/],
  ["broken-gzip", /\/broken-gzip cannot be decompressed\. Save the WSDL/],
  ["bomb", /\/bomb cannot be decompressed\. Save the WSDL/],
  ["long", /the response is longer than 4 MiB/i],
  ["loop", /\/loop: too many redirects\. Save the WSDL/],
  [
    "moved-to-a-file",
    /\/moved-to-a-file redirects to file:\/\/\/etc\/passwd, which is not at http/,
  ],
  ["moved-to-a-password", /^A URL with a password, also of a redirect, is not read(?!.*secret)/],
  ["reset", /it closed the connection before its response was complete/],
  ["short", /it closed the connection before its response was complete/],
  [
    "elsewhere",
    /The import http:\/\/other\.example\.com\/a[^\n]*: it is not at http:\/\/127\.0\.0\.1:\d+, and is not requested\. If the old server is there, give that address; /,
  ],
  ["chain-0", /\/chain-0 imports more than 40 documents\. Request \?singleWsdl/],
];

describe("a URL that cannot be read is refused with a reason", () => {
  for (const [name, message] of cases) {
    test(name, async () => assert.match(await fixture.refusal([`${base}/${name}`]), message));
  }

  for (const name of ["hangs", "drips"]) {
    test(`a server that ${name}, after --timeout`, async () => {
      const message = await fixture.refusal([`${base}/${name}`, "--timeout", "1"]);
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
    assert.match(await fixture.refusal([`https://127.0.0.1:${new URL(base).port}/`]), /no secure/);
    const free = createTcpServer().listen(0, "127.0.0.1");
    await once(free, "listening");
    const { port } = free.address() as AddressInfo;
    await once(free.close(), "close");
    assert.match(await fixture.refusal([`http://127.0.0.1:${port}/`]), /nothing responds there/);
    assert.match(await fixture.refusal(["http://old.invalid/"]), /host name is not known here/);
  });

  test("a password in the URL, which is not repeated", async () => {
    const message = await fixture.refusal(["http://bob:secret@127.0.0.1/a?wsdl"]);
    assert.match(message, /^A URL with a password, also of a redirect, is not read\./);
    assert.doesNotMatch(message, /secret/);
  });

  test("an invalid URL and an invalid time are errors of the command line", async () => {
    for (const words of [["http://["], ["a.wsdl", "--timeout", "0"]]) {
      assert.equal((await fixture.run(words)).code, 2);
    }
  });
});
