import { get } from "@wfh/server/test/server/connection.ts";

/** Settings of the server that is attacked over HTTP: the least allowed, where that is quick. */
export const smallLimits = {
  WFH_HEAD_BYTES_MAX: "4096",
  WFH_HEADERS_MAX: "20",
  WFH_TARGET_BYTES_MAX: "2048",
  WFH_BODY_BYTES_MAX: "1024",
  WFH_CONNECTIONS_MAX: "20",
  WFH_REQUESTS_PER_CONNECTION_MAX: "50",
  WFH_HEAD_TIMEOUT_MS: "500",
  WFH_REQUEST_TIMEOUT_MS: "800",
  WFH_IDLE_TIMEOUT_MS: "2000",
  WFH_KEEP_ALIVE_TIMEOUT_MS: "200",
};

/** Bytes to send at once, and the statuses of all responses before the server closes. */
export interface HttpAttack {
  readonly name: string;
  readonly bytes: string;
  readonly statuses: readonly number[];
}

const close = "Connection: close\r\n";
const service = "/api/LocationUIHelper.asmx";
const path = `${service}/PostalCodeToCityState`;
const lookUp = `${path}?postalCode=10001`;
const good = get(lookUp, close);

/** A POST of a form with the fields that frame its body, and what follows the head. */
function post(fields: string, rest = ""): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\n${close}Content-Type: application/x-www-form-urlencoded\r\n${fields}\r\n${rest}`;
}

const form = "postalCode=10001";
const chunked = "Transfer-Encoding: chunked\r\n";
const chunk = `10\r\n${form}\r\n0\r\n\r\n`;
const length = `Content-Length: ${form.length}\r\n`;

const framing: readonly HttpAttack[] = [
  {
    name: "two lengths that differ",
    bytes: post(`${length}Content-Length: 0\r\n`, form),
    statuses: [400],
  },
  { name: "two lengths that agree", bytes: post(length + length, form), statuses: [400] },
  { name: "a list of lengths", bytes: post("Content-Length: 16, 16\r\n", form), statuses: [400] },
  { name: "a length below zero", bytes: post("Content-Length: -1\r\n", form), statuses: [400] },
  { name: "a length with a sign", bytes: post("Content-Length: +16\r\n", form), statuses: [400] },
  {
    name: "a length in hexadecimal",
    bytes: post("Content-Length: 0x10\r\n", form),
    statuses: [400],
  },
  {
    name: "a length beyond 64 bits",
    bytes: post("Content-Length: 99999999999999999999\r\n"),
    statuses: [400],
  },
  {
    name: "a length of 60 zeros and 16",
    bytes: post(`Content-Length: ${"0".repeat(60)}16\r\n`, form),
    statuses: [200],
  },
  { name: "an empty length", bytes: post("Content-Length:\r\n"), statuses: [400] },
  { name: "a length and chunks", bytes: post(length + chunked, chunk), statuses: [400] },
  { name: "chunks and a length", bytes: post(chunked + length, chunk), statuses: [400] },
  {
    name: "a length over the limit",
    bytes: post("Content-Length: 1025\r\n", "a".repeat(1_025)),
    statuses: [413],
  },
  {
    name: "chunks over the limit",
    bytes: post(chunked, `401\r\n${"a".repeat(1_025)}\r\n0\r\n\r\n`),
    statuses: [413],
  },
  { name: "a chunk of 2^64 bytes", bytes: post(chunked, "10000000000000000\r\n"), statuses: [400] },
  { name: "a chunk of no number", bytes: post(chunked, "zz\r\n"), statuses: [400] },
  { name: "a chunk of a length below zero", bytes: post(chunked, "-10\r\n"), statuses: [400] },
  {
    name: "a chunk that is longer than it says",
    bytes: post(chunked, `1\r\n${form}\r\n`),
    statuses: [400],
  },
  {
    name: "chunk extensions",
    bytes: post(chunked, `10;a=b;c="d"\r\n${form}\r\n0;e\r\n\r\n`),
    statuses: [200],
  },
  {
    name: "chunk extensions of 20 KiB",
    bytes: post(chunked, `10;${"a".repeat(20_480)}\r\n`),
    statuses: [400],
  },
  {
    name: "trailers",
    bytes: post(chunked, `10\r\n${form}\r\n0\r\nHost: y\r\nA: b\r\n\r\n`),
    statuses: [200],
  },
  {
    name: "trailers over the limit of heads",
    bytes: post(chunked, `10\r\n${form}\r\n0\r\nA: ${"b".repeat(5_000)}\r\n\r\n`),
    statuses: [431],
  },
  {
    name: "a coding that looks like chunked",
    bytes: post("Transfer-Encoding: xchunked\r\n", chunk),
    statuses: [400],
  },
  {
    name: "chunked twice",
    bytes: post("Transfer-Encoding: chunked, chunked\r\n", chunk),
    statuses: [400],
  },
  {
    name: "a coding behind chunked",
    bytes: post("Transfer-Encoding: chunked, identity\r\n", chunk),
    statuses: [400],
  },
  {
    name: "chunks in HTTP/1.0",
    bytes: post(chunked, chunk).replace("HTTP/1.1", "HTTP/1.0"),
    statuses: [200],
  },
];

const heads: readonly HttpAttack[] = [
  {
    name: "a head over the limit",
    bytes: get("/", `A: ${"b".repeat(5_000)}\r\n`),
    statuses: [431],
  },
  {
    name: "a name of 5,000 characters",
    bytes: get("/", `${"a".repeat(5_000)}: b\r\n`),
    statuses: [431],
  },
  { name: "200 fields", bytes: get(lookUp, "A: b\r\n".repeat(200) + close), statuses: [431] },
  { name: "a field without a name", bytes: get("/", ": a\r\n"), statuses: [400] },
  { name: "a field without a colon", bytes: get("/", "abc\r\n"), statuses: [400] },
  { name: "a blank before the colon", bytes: get("/", "Content-Length : 0\r\n"), statuses: [400] },
  { name: "a folded field", bytes: get("/", `A: b\r\n c\r\n${close}`), statuses: [400] },
  { name: "a NUL in a field", bytes: get("/", "A: \0\r\n"), statuses: [400] },
  { name: "a lone CR in a field", bytes: get("/", "A: b\rContent-Length: 3\r\n"), statuses: [400] },
  { name: "lines that end with LF alone", bytes: good.replaceAll("\r\n", "\n"), statuses: [400] },
  {
    name: "a field of letters beyond ASCII",
    bytes: get(lookUp, `A: \xff\xfe\r\n${close}`),
    statuses: [200],
  },
  {
    name: "a name that objects have",
    bytes: get(lookUp, `__proto__: a\r\nconstructor: b\r\n${close}`),
    statuses: [200],
  },
  { name: "no Host", bytes: `GET ${lookUp} HTTP/1.1\r\n${close}\r\n`, statuses: [400] },
  { name: "two Hosts", bytes: get(lookUp, `Host: y\r\n${close}`), statuses: [400] },
  {
    name: "a Host of markup",
    bytes: `GET ${lookUp} HTTP/1.1\r\nHost: "><script>\r\n${close}\r\n`,
    statuses: [400],
  },
];

const targets: readonly (readonly [name: string, target: string, status: number])[] = [
  ["an address of another server", `http://other.example${lookUp}`, 200],
  ["a file", "file:///etc/passwd", 404],
  ["an asterisk", "*", 404],
  ["steps up", "/api/../../../etc/passwd", 404],
  ["escaped steps up", "/api/LocationUIHelper.asmx/..%2f..%2fetc%2fpasswd", 500],
  ["two slashes and markup", "//x<", 404],
  ["a percent sign alone", "/%", 404],
  ["an escaped NUL alone", "/%00", 404],
  ["steps to another page", "/api/../healthz", 404],
  ["more behind a service", `${service}x`, 404],
  ["a slash behind a service", `${service}/`, 500],
  ["an escaped NUL", `${path}%00?postalCode=1`, 500],
  ["a broken escape", "/api/LocationUIHelper.asmx/%zz%", 500],
  ["letters of no UTF-8", "/api/LocationUIHelper.asmx/%ff%fe", 500],
  ["an operation of every object", "/api/LocationUIHelper.asmx/__proto__", 500],
  ["a hundred slashes", "/".repeat(100), 404],
  ["a backslash", "\\api\\LocationUIHelper.asmx", 400],
  ["a fragment", `${lookUp}#a`, 200],
  ["a query of markup", `${path}?postalCode=<script>alert(1)</script>`, 200],
  ["a target over the limit", `/${"a".repeat(2_048)}`, 414],
  ["a query over the limit", `${lookUp}&a=${"b".repeat(2_048)}`, 414],
  ["a look-up of a logger", "/$%7Bjndi:ldap://x/a}", 404],
  ["markup", "/<script>alert(1)</script>", 404],
  ["raw bytes of control characters", "/\x9b2J", 400],
  ["escaped control characters", "/api/LocationUIHelper.asmx/%1b%5b2J%c2%9b", 500],
];

const lines: readonly (readonly [name: string, line: string, status: number])[] = [
  ["no method", ` ${lookUp} HTTP/1.1`, 400],
  ["a method in small letters", `get ${lookUp} HTTP/1.1`, 501],
  ["an unknown method", `BREW ${lookUp} HTTP/1.1`, 501],
  ["TRACE", "TRACE / HTTP/1.1", 405],
  ["CONNECT", "CONNECT x:443 HTTP/1.1", 405],
  ["PROPFIND", `PROPFIND ${lookUp} HTTP/1.1`, 405],
  ["HTTP/0.9", `GET ${lookUp}`, 505],
  ["HTTP/1.2", `GET ${lookUp} HTTP/1.2`, 505],
  ["HTTP/2 in a request line", `GET ${lookUp} HTTP/2.0`, 505],
  ["no words", "nonsense", 400],
  ["FTP", `BREW ${lookUp} FTP/1.1`, 400],
  ["HTTP/9999", `GET ${lookUp} HTTP/9999`, 400],
  ["a protocol that node:http takes for HTTP", `GET ${lookUp} RTSP/1.0`, 200],
  ["a tab between its words", `GET\t${lookUp}\tHTTP/1.1`, 400],
  ["three blanks", `GET   ${lookUp} HTTP/1.1`, 200],
  ["a blank within the target", `GET ${path} ?postalCode=1 HTTP/1.1`, 400],
];

const strangers: readonly (readonly [name: string, bytes: string])[] = [
  ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["a hello of TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
  ["a greeting of SSH", "SSH-2.0-OpenSSH_9.9\r\n"],
  ["a command of Redis", "*1\r\n$4\r\nINFO\r\n"],
  ["mail", "EHLO x\r\n"],
  ["64 KiB of NUL", "\0".repeat(65_536)],
  ["64 KiB of 0xFF", "\xff".repeat(65_536)],
];

const pipelines: readonly HttpAttack[] = [
  {
    name: "40 requests at once",
    bytes: get(lookUp).repeat(40) + good,
    statuses: Array(41).fill(200),
  },
  {
    name: "more requests at once than a connection has",
    bytes: get(lookUp).repeat(60),
    statuses: Array(50).fill(200),
  },
  {
    name: "a request hidden in the body of another",
    bytes: post(`Content-Length: ${good.length}\r\n`, good),
    statuses: [500],
  },
  {
    name: "nonsense behind a request",
    bytes: `${get(lookUp)}\x01\x02\r\n\r\n`,
    statuses: [200, 400],
  },
  { name: "a request behind the last one", bytes: good + good, statuses: [200] },
  { name: "100 empty lines before a request", bytes: "\r\n".repeat(100) + good, statuses: [200] },
];

/** Invalid hosts, to pages that show their address. */
const hosts: readonly HttpAttack[] = ["9223372036854775808", "256.256.256.256", "<a>", "a/b"].map(
  (host) => ({
    name: `a page for the Host ${host}`,
    bytes: `GET ${service}?op=PostalCodeToCityState HTTP/1.1\r\nHost: ${host}\r\n${close}\r\n`,
    statuses: [400],
  }),
);

/** Everything that is sent at once. */
export const httpAttacks: readonly HttpAttack[] = [
  ...framing,
  ...heads,
  ...pipelines,
  ...hosts,
  ...targets.map(([name, target, status]) => ({
    name: `a target with ${name}`,
    bytes: get(target, close),
    statuses: [status],
  })),
  ...lines.map(([name, line, status]) => ({
    name: `a request line with ${name}`,
    bytes: `${line}\r\nHost: x\r\n${close}\r\n`,
    statuses: [status],
  })),
  ...strangers.map(([name, bytes]) => ({ name, bytes, statuses: [400] })),
];
