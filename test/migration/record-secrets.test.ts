import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import { compileServices } from "../../src/cli/commands/migrate/services.ts";
import { requestOf } from "../../src/migration/compare/ask.ts";
import { bytesOf, type Exchange, toRecordedBody } from "../../src/migration/exchange.ts";
import { readConfig } from "../../src/server/settings/config.ts";
import { echoes, envelope, json, omitted, type Sent, soap11, unnamed, whole } from "./log-ins.ts";
import { openRecorder, services } from "./recorder-fixture.ts";

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

/** What of a recorded line is a secret, in whatever form; undefined for a clean line. */
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

/** The exchange of a log-in as a recorder sees it. */
function toExchange(
  { method = "POST", path, headers, body }: Sent,
  echo: ReturnType<(typeof echoes)[number]>,
): Exchange {
  return {
    ...{ v: 1, at: "2026-11-22T00:00:00.000Z", ms: 1 },
    ...{ service: "WebFormsAjaxEndpoint", operation: "LogInUser", binding: null },
    request: {
      ...{ method, target: path, headers: [...headers, ...credentials] },
      body: toRecordedBody(Buffer.from(body as string)),
    },
    response: {
      ...{ status: 200, statusText: "OK" },
      headers: ["Set-Cookie", "s=chocolate", ...(echo.headers ?? [])],
      body: toRecordedBody(Buffer.from((echo.body ?? "") as string)),
    },
  };
}

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
  for (const [name, way] of Object.entries({ ...whole, ...omitted })) {
    test(name, () => {
      for (const [i, echo] of echoes.entries()) {
        const exchange = toExchange(way(passwordOf(i)), echo(passwordOf(i)));
        const line = JSON.stringify(services.redact(exchange));
        assert.equal(findPlanted(line), undefined, line);
      }
    });
  }
});

describe("the rest of a log-in is recorded", () => {
  for (const [name, way] of Object.entries(whole)) {
    test(name, () => {
      const { request, response } = services.redact(
        toExchange(way(passwordOf(1)), echoes[0]?.("") ?? {}),
      );
      assert.ok(!("omitted" in request.body), JSON.stringify(request.body));
      assert.match(
        bytesOf(request.body)?.toString("utf8") ?? "",
        request.method === "GET" ? /^$/ : /\[redacted\]/,
      );
      assert.deepEqual(response?.body, { text: '{"d":{"Success":true}}' });
    });
  }

  test("to the byte", () => {
    const { request } = services.redact(
      toExchange(whole["SOAP 1.1"]?.("hunter2 & co") ?? json(""), {}),
    );
    assert.deepEqual(request.body, { text: envelope("<passWord>[redacted]</passWord>") });
  });
});

describe("a body that cannot be read for certain is left out", () => {
  for (const [name, way] of Object.entries(omitted)) {
    test(name, () => {
      const { request } = services.redact(toExchange(way(passwordOf(1)), {}));
      assert.ok("omitted" in request.body, JSON.stringify(request.body));
    });
  }
});

describe("what has no secret stays as it is", () => {
  const bodies: Readonly<Record<string, readonly [string, string]>> = {
    "an empty password": ["application/json", '{"userName":"bob","passWord":""}'],
    "a null": ["application/json", '{"passWord":null}'],
    nil: ["text/xml", envelope('<passWord i:nil="true" xmlns:i="i" />')],
    "a page request": [
      "application/json",
      '{"form_id":12,"pageRequestUrl":"https://x/?topic=a&b=%20"}',
    ],
    "no body": ["text/xml", ""],
  };
  for (const [name, [type, body]] of Object.entries(bodies)) {
    test(name, () => {
      const exchange = toExchange(json(body, type), { body: "fine" });
      const { request, response } = services.redact(exchange);
      assert.deepEqual(request.body, { text: body });
      assert.deepEqual(response?.body, { text: "fine" });
    });
  }

  test("headers of CORS", () => {
    const headers = ["Access-Control-Allow-Credentials", "true"];
    const { response } = services.redact(toExchange(json("{}"), { headers }));
    assert.deepEqual(response?.headers.slice(-2), headers);
  });

  test("a redacted exchange", () => {
    const redacted = services.redact(
      toExchange(json('{"userName":"bob","passWord":"hunter2"}'), {}),
    );
    assert.deepEqual(services.redact(redacted), redacted);
  });

  test("what the location helper cannot read", () => {
    const exchange = toExchange(json("{postalCode:'1"), { body: "fine" });
    const { request } = services.redact({ ...exchange, service: "LocationUIHelper" });
    assert.deepEqual(request.body, { text: "{postalCode:'1" });
  });
});

describe("a response that repeats a secret header of its request is left out", () => {
  const cases: Readonly<Record<string, readonly [name: string, value: string, body: string]>> = {
    "a cookie": ["Cookie", "lang=en-US; .ASPXAUTH=C0FFEE42", "<td>.ASPXAUTH</td><td>C0FFEE42</td>"],
    "a token": ["Authorization", "Bearer abc.def.ghi", '{"seen":"Bearer abc.def.ghi"}'],
    "a cookie in quotes": ["Cookie", 'a="C0FFEE42" ; b=1', "a is C0FFEE42"],
    "an escaped cookie": ["Cookie", "a=C0FFEE42%3D%3d", "a is C0FFEE42=="],
    "the password of Basic": ["Authorization", `Basic ${btoa("bob:s3same!")}`, "<a>s3same!</a>"],
    "an API key": ["X-Api-Key", "c0ffee42", "key c0ffee42 is unknown"],
  };
  for (const [name, [header, value, body]] of Object.entries(cases)) {
    test(name, () => {
      const exchange = toExchange(json('{"form_id":1}'), { body });
      const headers = [...exchange.request.headers, header, value];
      const { response } = services.redact({
        ...exchange,
        request: { ...exchange.request, headers },
      });
      assert.ok(response && "omitted" in response.body);
    });
  }

  test("but not for what the body of the request has too, nor for short settings", () => {
    const part = '{"crossAppSession_id":"1234567"}';
    const exchange = toExchange(json(part), { body: "1234567 en-US" });
    const headers = ["Cookie", "session=1234567; lang=en-US"];
    const { response } = services.redact({
      ...exchange,
      request: { ...exchange.request, headers },
    });
    assert.deepEqual(response?.body, { text: "1234567 en-US" });
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
  const exchange = toExchange(json('{"form_id":1}'), { headers: set });
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
  assert.ok(!requestOf({ request }).head.headers.includes("Cookie"));
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
    test(`${name}: the value is left out, and a response that repeats it`, () => {
      const { request, response } = redact(toExchange(way, { body: "seen c0ffee42" }));
      assert.doesNotMatch(JSON.stringify([request, response]), /c0ffee42/);
      assert.ok(!("omitted" in request.body), JSON.stringify(request.body));
      assert.ok(response && "omitted" in response.body);
    });
  }

  for (const body of ['{"badge":42}', '{"badge":["c0ffee42"]}', '{"badge": {"a":"c0ffee42"}}']) {
    test(`${body} is left out as a whole`, () => {
      assert.ok("omitted" in redact(toExchange(json(body), {})).request.body);
    });
  }

  test("an element with children is left out as a whole", () => {
    const { request } = redact(toExchange(xml("<badge> <a>c0ffee42</a></badge>"), {}));
    assert.ok("omitted" in request.body);
  });

  test("parts of the contract stay", () => {
    const body = '{"form_id":1,"crossAppSession_id":7}';
    assert.deepEqual(services.redact(toExchange(json(body), {})).request.body, { text: body });
  });
});

test("settings of a cookie are no secrets", () => {
  const cookie = "ARRAffinity=C0FFEE42;Path=/;Secure;SameSite=Strict;Domain=old.example.com";
  const body = '<a xmlns="http://old.example.com/">Strict</a>';
  const exchange = toExchange(json('{"form_id":1}'), { headers: ["Set-Cookie", cookie], body });
  assert.deepEqual(services.redact(exchange).response?.body, { text: body });
});

test("a recorded log-in has its password neither in its query nor in its headers", () => {
  const body = '{"userName":"bob","passWord":"hunter2"}';
  const { path, headers } = json(body);
  const more = ["Referer", "http://x/page.aspx?p=hunter2", "X-Seen", "hunter2", "X-Other", "kept"];
  const posted = services.redactRecorded(
    toExchange({ path: `${path}?u=bob&p=hunter2`, headers: [...headers, ...more], body }, {}),
  );
  assert.equal(findPlanted(JSON.stringify(posted)), undefined, JSON.stringify(posted));
  assert.equal(posted.request.headers.at(-7), "kept");
  assert.deepEqual(posted.request.body, { omitted: "it may be a log-in", bytes: body.length });
  const query = "?userName=bob&passWord=Tom&hunter2";
  const got = services.redactRecorded(
    toExchange({ method: "GET", path: path + query, headers: [], body: "" }, {}),
  );
  assert.equal(got.request.target, `${path}?[redacted]`);
});

test("a call with thousands of secrets is shown without its bodies", () => {
  const members = Array.from({ length: 2_500 }, (_, i) => [`t${i}token`, `secret number ${i}`]);
  const body = JSON.stringify(Object.fromEntries(members));
  const query = new URLSearchParams(Object.fromEntries(members));
  const cookies = members.map(([name, value]) => `${name}=${value}`).join("; ");
  const exchange = toExchange(json(body), { body: "x".repeat(200_000) });
  const request = { ...exchange.request, target: `/x?${query}`, headers: ["Cookie", cookies] };
  const redacted = services.redact({ ...exchange, request });
  assert.doesNotMatch(JSON.stringify(redacted), /secret.number/);
  assert.ok(redacted.response && "omitted" in redacted.response.body);
});

test("a relative address in a header loses its secrets", () => {
  const headers = ["Location", "Login.aspx?access_token=letmein"];
  const { response } = services.redact(toExchange(json("{}"), { headers }));
  assert.deepEqual(response?.headers.slice(-1), ["Login.aspx?access_token=[redacted]"]);
});

test("the URL of a page request loses its secrets, and nothing else", () => {
  const body = (url: string) =>
    `<LogPageRequestAsync><form_id>1</form_id><pageRequestUrl>${url}</pageRequestUrl></LogPageRequestAsync>`;
  const url = "https://x/ü?a=1&amp;token=letmein&amp;b=&lt;2&gt;";
  const { request } = services.redact(toExchange(soap11(body(url)), {}));
  assert.deepEqual(request.body, {
    text: body(url.replace("letmein", "[redacted]").replace("&gt;", ">")),
  });
});

/** The quick level has fewer: these take some seconds. */
const logIns = process.env["TEST_LEVEL"] === "quick" ? 1_000 : 10_000;

test(`${logIns} recorded log-ins in all forms have no password, cookie or Authorization`, async () => {
  const ways = Object.values({ ...whole, ...omitted, ...unnamed });
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      const i = Number(request.headers["x-case"]);
      const { headers = [], body = "" } = echoes[i % echoes.length]?.(passwordOf(i)) ?? {};
      response.writeHead(200, ["Set-Cookie", "s=chocolate", ...headers]).end(body);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const recorder = await openRecorder(
    new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
  );
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const logIn = async (i: number) => {
    const way = ways[Math.floor(i / echoes.length) % ways.length];
    const { method = "POST", path, headers, body } = way?.(passwordOf(i)) ?? json("");
    const bytes = Buffer.from(body as string);
    const sent = httpRequest(`${recorder.url}${path}`, {
      ...{ agent, method },
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
  server.close();
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
