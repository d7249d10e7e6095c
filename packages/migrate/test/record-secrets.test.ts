import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, request as httpRequest } from "node:http";
import { describe, test } from "node:test";
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import { readConfig } from "@wfh/server/server/settings/config.ts";
import { compileServices } from "../src/commands/migrate/configured-services.ts";
import { replayableRequestOf } from "../src/compare/replay.ts";
import { bytesOf, type Exchange, toRecordedBody } from "../src/exchange.ts";
import { echoes, envelope, json, omitted, type Sent, soap11, unnamed, whole } from "./log-ins.ts";
import { openRecorder, services } from "./recorder-fixture.ts";
import { startStandIn } from "./stand-in.ts";

/** Every password has this within; cookies and log-ins in headers have these. */
const planted = /hunter\d+|chocolate|letmein/i;
const passwordOf = (i: number) => `ü&<"hunter${i}'\\%+é]日`;
const credentials = [
  "Cookie",
  "s=chocolate",
  "Authorization",
  "Basic letmein",
  "X-Api-Key",
  "letmein",
];

const decoders: readonly ((text: string) => string)[] = [
  (text) =>
    text.replace(/%u([\da-f]{4})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
  (text) =>
    text.replace(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
  (text) =>
    text.replace(/&#x([\da-f]+);/gi, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16))),
  (text) => text.replace(/&#(\d+);/g, (_, digits) => String.fromCodePoint(Number(digits))),
  (text) =>
    text.replace(/\\u([\da-f]{4})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
  (text) =>
    text.replace(/[A-Za-z0-9+/]{8,}/g, (run) => Buffer.from(run, "base64").toString("latin1")),
  (text) => text.replaceAll("\0", ""),
];

const decompressors = [
  gunzipSync,
  (bytes: Buffer) => gunzipSync(gunzipSync(bytes)),
  inflateSync,
  inflateRawSync,
  brotliDecompressSync,
];

/** Finds a secret in a recorded line, in any form; undefined for a clean line. */
function findPlanted(line: string): string | undefined {
  const exchange = JSON.parse(line) as Exchange;
  const bodies = [exchange.request, exchange.response].flatMap((message) => {
    const bytes = message === null ? undefined : bytesOf(message.body);
    if (bytes === undefined) return [];
    return [
      bytes,
      ...decompressors.flatMap((open) => {
        try {
          return [open(bytes)];
        } catch {
          return [];
        }
      }),
    ];
  });
  const texts = [
    line,
    ...bodies.flatMap((bytes) => [bytes.toString("utf8"), bytes.toString("latin1")]),
  ];
  const once = texts.flatMap((text) => [text, ...decoders.map((decode) => decode(text))]);
  const twice = once.flatMap((text) => decoders.map((decode) => decode(text)));
  return [...once, ...twice]
    .map((text) => planted.exec(text)?.[0])
    .find((one) => one !== undefined);
}

/** An exchange as a recorder sees it. */
function toExchange(
  { method = "POST", path, headers, body }: Sent,
  echo: ReturnType<(typeof echoes)[number]>,
  operation = "LogInUser",
): Exchange {
  return {
    v: 1,
    at: "2026-11-22T00:00:00.000Z",
    ms: 1,
    service: "WebFormsAjaxEndpoint",
    operation,
    binding: null,
    request: {
      method,
      target: path,
      headers: [...headers, ...credentials],
      body: toRecordedBody(Buffer.from(body as string)),
    },
    response: {
      status: 200,
      statusText: "OK",
      headers: ["Set-Cookie", "s=chocolate", ...(echo.headers ?? [])],
      body: toRecordedBody(Buffer.from((echo.body ?? "") as string)),
    },
  };
}

/** The exchange of a page request. */
const toPageRequest = (sent: Sent, echo: Parameters<typeof toExchange>[1] = {}) =>
  toExchange(sent, echo, "LogPageRequestAsync");

test("the search of these tests finds what is planted", () => {
  for (const way of Object.values({ ...whole, ...omitted })) {
    assert.ok(findPlanted(JSON.stringify(toExchange(way(passwordOf(1)), {}))));
    for (const echo of echoes.slice(1)) {
      const clean = toExchange(json("{}"), echo(passwordOf(1)));
      assert.match(
        findPlanted(JSON.stringify(clean).replace(/chocolate|letmein/g, "")) ?? "",
        /hunter/i,
      );
    }
  }
});

describe("a password is recorded in no form", () => {
  for (const [name, way] of Object.entries({ ...whole, ...omitted, ...unnamed })) {
    test(name, () => {
      for (const [i, echo] of echoes.entries()) {
        const exchange = toExchange(way(passwordOf(i)), echo(passwordOf(i)));
        const line = JSON.stringify(services.redact(exchange));
        assert.equal(findPlanted(line), undefined, line);
      }
    });
  }
});

describe("the body of a page request in which no secret can be found is left out", () => {
  for (const name of ["gzip", "UTF-16", "UTF-16 by its bytes alone"]) {
    test(name, () => {
      const sent = omitted[name]?.(passwordOf(1)) ?? assert.fail();
      const { request } = services.redact(toPageRequest(sent));
      assert.ok("omitted" in request.body, JSON.stringify(request.body));
    });
  }
});

describe("what has no secret stays as it is", () => {
  const bodies: Readonly<Record<string, readonly [string, string]>> = {
    "an empty part": ["application/json", '{"form_id":12,"pwd":""}'],
    "a null": ["application/json", '{"pwd":null}'],
    nil: ["text/xml", envelope('<pwd i:nil="true" xmlns:i="i" />')],
    "a page request": [
      "application/json",
      '{"form_id":12,"pageRequestUrl":"https://x/?topic=a&b=%20"}',
    ],
    "no body": ["text/xml", ""],
  };
  for (const [name, [type, body]] of Object.entries(bodies)) {
    test(name, () => {
      const exchange = toPageRequest(json(body, type), { body: "fine" });
      const { request, response } = services.redact(exchange);
      assert.deepEqual(request.body, { text: body });
      assert.deepEqual(response?.body, { text: "fine" });
    });
  }

  test("headers of CORS", () => {
    const headers = ["Access-Control-Allow-Credentials", "true"];
    const { response } = services.redact(toPageRequest(json("{}"), { headers }));
    assert.deepEqual(response?.headers.slice(-2), headers);
  });

  test("a redacted exchange", () => {
    const redacted = services.redact(
      toExchange(json('{"userName":"bob","passWord":"hunter2"}'), {}),
    );
    assert.deepEqual(services.redact(redacted), redacted);
  });

  test("what the location helper cannot read", () => {
    const bytes = Buffer.from("{postalCode:'1", "utf16le");
    const { request } = services.redact({
      ...toExchange(json(bytes), { body: "fine" }, "PostalCodeToCityState"),
      service: "LocationUIHelper",
    });
    assert.deepEqual(bytesOf(request.body), bytes);
  });
});

test("cookies are recorded with their names and attributes, and not sent again", () => {
  const sent = ["Cookie", "ASP.NET_SessionId=C0FFEE42; lang=en-US;path=C0FFEE42; C0FFEE42"];
  const set = [
    ".ASPXAUTH=C0FFEE42; path=/; Domain=old.example.com; expires=Wed, 09 Jun 2027 10:18:14 GMT; HttpOnly; SameSite=Lax; Max-Age=60; Secure;",
    "a=C0FFEE42; note=C0FFEE42; Path=/",
    // As Chrome writes several in HAR.
    "a=C0FFEE42; path=/\nb=C0FFEE42; path=/",
  ].flatMap((value) => ["Set-Cookie", value]);
  const exchange = toPageRequest(json('{"form_id":1}'), { headers: set });
  const { request, response } = services.redact({
    ...exchange,
    request: { ...exchange.request, headers: sent },
  });
  assert.deepEqual(request.headers, [
    "Cookie",
    "ASP.NET_SessionId=[redacted]; lang=[redacted];path=[redacted];[redacted]",
  ]);
  assert.deepEqual(response?.headers.filter((_, i) => i % 2 === 1).slice(1), [
    ".ASPXAUTH=[redacted]; path=/; Domain=old.example.com; expires=Wed, 09 Jun 2027 10:18:14 GMT; HttpOnly; SameSite=Lax; Max-Age=60; Secure;",
    "a=[redacted]; note=[redacted]; Path=/",
    "a=[redacted]; path=[redacted]; path=/",
  ]);
  assert.ok(!replayableRequestOf({ request }).head.headers.includes("Cookie"));
});

describe("headers and parts that WFH_SECRET_PARAMETERS names", () => {
  const settings = { WFH_SECRET_PARAMETERS: "*badge,x-tenant" };
  const { redact } = compileServices(readConfig(undefined, settings).config);
  const xml = (content: string) =>
    soap11(`<LogPageRequestAsync><form_id>1</form_id>${content}</LogPageRequestAsync>`);
  const whole: Readonly<Record<string, Sent>> = {
    JSON: json('{"form_id":1,"my_badge":"c0ffee42"}'),
    XML: xml('<a:MyBadge xmlns:a="a">c0ffee42</a:MyBadge>'),
    "a form": json("form_id=1&badge=c0ffee42", "application/x-www-form-urlencoded"),
    "a header": { ...json('{"form_id":1}'), headers: ["X-Tenant", "c0ffee42"] },
  };
  for (const [name, way] of Object.entries(whole)) {
    test(`${name}: the value is replaced, and nothing else`, () => {
      const { request, response } = redact(toPageRequest(way, { body: "seen" }));
      assert.doesNotMatch(JSON.stringify(request), /c0ffee42/);
      const sent = way.body
        .toString()
        .replace(/"c0ffee42"|c0ffee42/, (value) => value.replace("c0ffee42", "[redacted]"));
      assert.deepEqual(request.body, { text: sent });
      assert.deepEqual(response?.body, { text: "seen" });
    });
  }

  test("a number of JSON is replaced by a text", () => {
    const { request } = redact(toPageRequest(json('{"badge" : 42,"form_id":1}')));
    assert.deepEqual(request.body, { text: '{"badge" : "[redacted]","form_id":1}' });
  });

  test("parts of the contract stay", () => {
    const body = '{"form_id":1,"crossAppSession_id":7}';
    assert.deepEqual(services.redact(toPageRequest(json(body))).request.body, { text: body });
  });
});

test("a recorded log-in has neither a query nor headers", () => {
  const body = '{"userName":"bob","passWord":"hunter2"}';
  const { path, headers } = json(body);
  const more = ["Referer", "http://x/page.aspx?p=hunter2", "X-Seen", "hunter2"];
  const posted = services.redact(
    toExchange({ path: `${path}?u=bob&p=hunter2`, headers: [...headers, ...more], body }, {}),
  );
  assert.equal(findPlanted(JSON.stringify(posted)), undefined, JSON.stringify(posted));
  assert.deepEqual(posted.request, {
    method: "POST",
    target: `${path}?[redacted]`,
    headers: [],
    body: { omitted: "it may be a log-in", bytes: body.length },
  });
  const query = "?userName=bob&passWord=Tom&hunter2";
  const got = services.redact(
    toExchange({ method: "GET", path: path + query, headers: [], body: "" }, {}),
  );
  assert.equal(got.request.target, `${path}?[redacted]`);
});

test("a relative address in a header loses its secrets", () => {
  const headers = ["Location", "Login.aspx?access_token=letmein"];
  const { response } = services.redact(toPageRequest(json("{}"), { headers }));
  assert.deepEqual(response?.headers.slice(-1), ["Login.aspx?access_token=[redacted]"]);
});

describe("the URL of a page request loses its secrets, and nothing else", () => {
  const clean = "https://x/ü?a=1&token=[redacted]&b=<2>";
  const url = clean.replace("[redacted]", "letmein");
  const toXml = (text: string) => text.replaceAll("&", "&amp;").replace("<", "&lt;");
  const toJson = (text: string) => JSON.stringify({ form_id: 1, pageRequestUrl: text });
  const bodyOf = (content: string) =>
    `<LogPageRequestAsync><form_id>1</form_id><pageRequestUrl>${content}</pageRequestUrl></LogPageRequestAsync>`;
  const cases: Readonly<Record<string, readonly [sent: Sent, expected: string]>> = {
    XML: [soap11(bodyOf(toXml(url))), bodyOf(toXml(clean))],
    CDATA: [
      soap11(bodyOf(`<![CDATA[${url.replace("<2>", "2")}]]>`)),
      bodyOf(`<![CDATA[${clean.replace("<2>", "2")}]]>`),
    ],
    JSON: [json(toJson(url)), toJson(clean)],
    "JSON with escapes": [json(toJson(url).replaceAll("&", "\\u0026")), toJson(clean)],
  };
  for (const [name, [sent, expected]] of Object.entries(cases)) {
    test(name, () => {
      assert.deepEqual(services.redact(toPageRequest(sent)).request.body, { text: expected });
    });
  }

  test("ISO 8859-1", () => {
    const sent = soap11(Buffer.from(bodyOf(toXml(url)), "latin1"));
    const { request } = services.redact(toPageRequest(sent));
    assert.equal(bytesOf(request.body)?.toString("latin1"), bodyOf(toXml(clean)));
  });
});

/** The quick level has fewer: these take some seconds. */
const logIns = process.env["TEST_LEVEL"] === "quick" ? 1_000 : 10_000;

test(`${logIns} recorded log-ins in all forms have no password, cookie or Authorization`, async () => {
  const ways = Object.values({ ...whole, ...omitted, ...unnamed });
  const old = await startStandIn("old");
  old.respond = (response, request) => {
    const i = Number(request.headers["x-case"]);
    const { headers = [], body = "" } = echoes[i % echoes.length]?.(passwordOf(i)) ?? {};
    response.writeHead(200, ["Set-Cookie", "s=chocolate", ...headers]).end(body);
  };
  const recorder = await openRecorder(new URL(old.url));
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const logIn = async (i: number) => {
    const way = ways[Math.floor(i / echoes.length) % ways.length];
    const { method = "POST", path, headers, body } = way?.(passwordOf(i)) ?? json("");
    const bytes = Buffer.from(body as string);
    const sent = httpRequest(`${recorder.url}${path}`, {
      agent,
      method,
      headers: [
        ...headers,
        ...credentials,
        "X-Case",
        String(i),
        "Content-Length",
        String(bytes.length),
        "Host",
        "x",
      ],
    });
    sent.end(bytes);
    const [response] = await once(sent, "response");
    response.resume();
    await once(response, "end");
  };
  let next = 0;
  const lane = async () => {
    while (next < logIns) await logIn(next++);
  };
  await Promise.all(Array.from({ length: 8 }, lane));
  agent.destroy();
  await recorder.close();
  assert.equal(recorder.lines.length, logIns);
  assert.equal(
    recorder.exchanges.filter(({ operation }) => operation === "LogInUser").length > logIns * 0.8,
    true,
  );
  assert.deepEqual(
    recorder.lines.flatMap((line) => findPlanted(line) ?? []),
    [],
  );
  const messages = recorder.exchanges.flatMap(({ request, response }) => [request, response]);
  assert.ok(messages.every((message) => message !== null && "omitted" in message.body));
});
