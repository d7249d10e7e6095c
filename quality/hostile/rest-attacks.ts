/** Bytes to send at once, and the statuses of all responses before the server closes. */
export interface RestAttack {
  readonly name: string;
  readonly bytes: string | Uint8Array;
  readonly statuses: readonly number[];
}

const bodyMax = 65_536;

/** A look-up, or another request without a body. */
function head(target: string, fields = "", method = "GET"): string {
  return `${method} ${target} HTTP/1.1\r\nHost: x\r\n${fields}\r\n`;
}

const last = "Connection: close\r\n";

function get(target: string, status: number, fields = ""): RestAttack {
  const shown = target.length > 60 ? `${target.slice(0, 50)}… of ${target.length}` : target;
  const name = `GET ${shown}${fields === "" ? "" : ` with ${fields.trim()}`}`;
  return { name, bytes: head(target, fields + last), statuses: [status] };
}

function post(path: string, body: string | Uint8Array, fields = "", close = last): Uint8Array {
  const bytes = Buffer.from(body as string);
  const type = fields.includes("Content-Type") ? "" : "Content-Type: application/json\r\n";
  const length = `Content-Length: ${bytes.length}\r\n`;
  return Buffer.concat([Buffer.from(head(path, type + fields + length + close, "POST")), bytes]);
}

const pages = "/api/v1/page-requests";

function body(
  name: string,
  sent: string | Uint8Array,
  status: number,
  path: string = pages,
): RestAttack {
  return { name: `a body with ${name}`, bytes: post(path, sent), statuses: [status] };
}

const deep = (open: string, close: string, depth: number) =>
  open.repeat(depth) + close.repeat(depth);
const item = (i: number) => ({ formId: "1", eventKey: `hostile-${i}` });
const items = (count: number) => Array.from({ length: count }, (_, i) => item(i));
const chunked = "Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n";

const bodies: readonly RestAttack[] = [
  body("arrays without an end", "[".repeat(bodyMax), 400),
  body("arrays in arrays", `{"step":${deep("[", "]", 30_000)}}`, 400),
  body("objects in objects", `${'{"step":'.repeat(7_000)}1${"}".repeat(7_000)}`, 400),
  body("a member that comes twice", '{"kind":"view","kind":"start"}', 204),
  body("the prototype", '{"__proto__":{"eventKey":"hostile-0"},"kind":"view"}', 400),
  body("the prototype of an item", '[{"formId":"1","__proto__":{"eventKey":"hostile-0"}}]', 400),
  body("the constructor", '{"constructor":{"prototype":{"isHostile":true}}}', 400),
  body("half a surrogate pair", '{"step":"\\ud800","referrer":"/\\udc00"}', 204),
  body("half a surrogate pair in a name", '{"\\ud800":1}', 400),
  body("U+0000", '{"step":"\\u0000","pageRequestUrl":"/\\u0000"}', 204),
  body("bytes of no UTF-8", Buffer.of(0x7b, 0xff, 0x7d), 400),
  body("an overlong slash", Buffer.from('{"step":"\xc0\xaf"}', "latin1"), 400),
  body("UTF-16", Buffer.from('{"kind":"view"}', "utf16le"), 400),
  body("a mark of UTF-8", '\ufeff{"kind":"view"}', 204),
  body("nothing", "", 400),
  body("null", "null", 400),
  body("an empty array", "[]", 400),
  body("101 items", JSON.stringify(items(101)), 400),
  body("100 items", JSON.stringify(items(100)), 204),
  body(
    "one bad item of a hundred",
    JSON.stringify([...items(99), { ...item(99), kind: "!" }]),
    400,
  ),
  body("10,000 items", `[${"{},".repeat(10_000)}{}]`, 400),
  body("numbers without an end", `{"screenWidth":${"1".repeat(60_000)}}`, 400),
  body("an infinite number", '{"screenWidth":1e999}', 400),
  body("digits without an end", `{"formId":"${"1".repeat(60_000)}"}`, 400),
  body("thousands of names", `{${items(6_000).map((_, i) => `"n${i}":1`)}}`, 400),
  body("a byte more than 64 KiB", " ".repeat(bodyMax + 1), 413),
  body(
    "a log-in of 9 KB",
    JSON.stringify({ userName: "a".repeat(9_000), password: "b" }),
    413,
    "/api/v1/log-in",
  ),
  body("a log-in without a name", '{"password":"b"}', 400, "/api/v1/log-in"),
  body(
    "a log-in with half a pair",
    '{"userName":"\\ud800","password":"\\u0000"}',
    200,
    "/api/v1/log-in",
  ),
  {
    name: "a chunked body over the limit",
    bytes: `${head(pages, chunked, "POST")}${"4000\r\n".concat(" ".repeat(0x4000), "\r\n").repeat(5)}0\r\n\r\n`,
    statuses: [413],
  },
  {
    name: "a chunked body",
    bytes: `${head(pages, chunked + last, "POST")}2\r\n{}\r\n0\r\n\r\n`,
    statuses: [204],
  },
  {
    name: "a look-up with a body",
    bytes: `${head("/api/v1/places/US/10001", `Content-Length: 5\r\n${last}`)}hello`,
    statuses: [200],
  },
];

const targets: readonly RestAttack[] = [
  get(`/api/v1/places/US/${"1".repeat(9_000)}`, 414),
  get(`/api/v1/places/US/${"1".repeat(7_000)}`, 400),
  get(`/api/v1/${"places/".repeat(1_000)}`, 404),
  get(`/api/v1/places?${"postalCode=1&".repeat(600)}`, 400),
  get("/api/v1/places/US/%", 200),
  get("/api/v1/places/US/%zz", 200),
  get("/api/v1/places/US/%ff%fe", 200),
  get("/api/v1/places/US/%00", 200),
  get("/api/v1/places/%00%00/10001", 400),
  get("/api/v1/places/%55%53/10001", 200),
  get("/api/v1/places/US%2F10001", 404),
  get("/api/v1/places/US/..%2f..%2fhealthz", 200),
  get("/api/v1/places/../places/US/10001", 404),
  get("/api/v1//places/US/10001", 404),
  get("/api/v1/places/US/10001/", 404),
  get("/api/v1/places//10001", 400),
  get("/api/v1/places/__proto__/10001", 400),
  get("/api/v1/constructor", 404),
  get("/api/v1/problems/constructor", 404),
  get("/api/v1/places?constructor=1&postalCode=1", 400),
  // Names that begin with a underscore are ignored, as those that libraries add.
  get("/api/v1/places?__proto__=1&postalCode=1", 200),
  get("/api/v1/places/US/10001?country=CA", 400),
  get("/api/v1/places?postalCode=%ed%a0%80", 200),
  get("/api/v1/places/US/10001", 304, "If-None-Match: *\r\n"),
  get("/api/v1/places/US/10001", 200, 'If-None-Match: "a", W/"b"\r\n'),
  get("/api/v1/openapi.json", 304, "If-None-Match: *\r\n"),
  get("/api/v1/openapi.json?x=1", 200),
];

const places = "/api/v1/places/US/10001";
const methods: readonly RestAttack[] = [
  { name: "HEAD of a look-up", bytes: head(places, last, "HEAD"), statuses: [200] },
  {
    name: "HEAD of a wrong look-up",
    bytes: head("/api/v1/places/USA/1", last, "HEAD"),
    statuses: [400],
  },
  { name: "HEAD where only POST is", bytes: head(pages, last, "HEAD"), statuses: [405] },
  { name: "TRACE", bytes: head(places, last, "TRACE"), statuses: [405] },
  { name: "a method in small letters", bytes: head(places, last, "get"), statuses: [501] },
  {
    name: "many requests in one piece",
    bytes: Buffer.concat([
      Buffer.from(head(places) + head(places, "If-None-Match: *\r\n") + head(places, "", "HEAD")),
      Buffer.from(post(pages, "{}", "", "")),
      Buffer.from(head("/api/v1/nothing") + head(pages)),
      Buffer.from(post(pages, "{", "", "")),
      Buffer.from(post(pages, '{"kind":"view"}', "Content-Type: text/plain\r\n")),
    ]),
    statuses: [200, 304, 200, 204, 404, 405, 400, 204],
  },
];

/** Hostile requests of the REST API. */
export const restAttacks: readonly RestAttack[] = [...bodies, ...targets, ...methods];
