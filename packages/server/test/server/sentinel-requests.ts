import { envelopePlaces } from "./sentinel-envelopes.ts";
import { json, post, request, type SentinelRequest, xml } from "./sentinel-request.ts";

const location = "/api/LocationUIHelper.asmx";
const endpoint = "/api/WebFormsAjaxEndpoint.svc";
const states = `${location}/GetStateListForCountryId`;
const logIn = `${endpoint}/LogInUser`;

const form = "Content-Type: application/x-www-form-urlencoded";

const get = (target: string, ...fields: readonly string[]) => request(`GET ${target}`, fields);
/** Headers that may carry a secret, on a call that succeeds and one that is refused. */
const headers: readonly SentinelRequest[] = [
  "Authorization: Bearer ",
  "Proxy-Authorization: Basic ",
  "Cookie: session=",
  "Cookie: __Host-wfal=v1.",
  "Referer: https://a.example/?token=",
  "User-Agent: ",
  "Origin: https://",
  "X-Forwarded-For: ",
  "X-Api-Key: ",
  "Accept: ",
  "If-None-Match: ",
  "Forwarded: for=",
  "X-Request-Id: ",
  "Via: 1.1 ",
  "SOAPAction: urn:",
  "traceparent: ",
].flatMap((field): readonly SentinelRequest[] => [
  [`${field}…, of a look-up`, (secret) => get(`${states}?countryId=840`, field + secret)],
  [`${field}…, of nothing`, (secret) => get("/nope", field + secret)],
  [`${field}…, of a log-in`, (secret) => request(`POST ${logIn}`, [json, field + secret], "{}")],
  [`${field}…, of the metrics`, (secret) => get("/metrics", field + secret)],
]);

const addresses: readonly SentinelRequest[] = [
  ["value of a query", (secret) => get(`${states}?countryId=${secret}`)],
  ["name in a query", (secret) => get(`${states}?${secret}=1`)],
  ["query of nothing", (secret) => get(`/nope?password=${secret}`)],
  ["query of an unknown operation", (secret) => get(`${location}/Nope?token=${secret}`)],
  ["query of a document", (secret) => get(`${location}?wsdl&${secret}`)],
  ["name of an operation's page", (secret) => get(`${location}?op=${secret}`)],
  ["query of a script", (secret) => get(`${location}/js?${secret}`)],
  ["query of the metrics", (secret) => get(`/metrics?token=${secret}`)],
  ["query of health", (secret) => get(`/healthz?${secret}`)],
  ["query of a POST", (secret) => post(`${logIn}?password=${secret}`, json, "{}")],
  ["query behind an escaped question mark", (secret) => get(`/nope%3F?${secret}`)],
  ["fragment", (secret) => get(`/nope#${secret}`)],
  ["user of an absolute target", (secret) => get(`http://${secret}@127.0.0.1/nope`)],
  ["password of an absolute target", (secret) => get(`http://u:${secret}@127.0.0.1${states}`)],
  ["query of an absolute target", (secret) => get(`http://127.0.0.1/nope?${secret}`)],
  ["host", (secret) => get(`${location}?wsdl`, `Host: ${secret}.example`)],
  ["tunnel", (secret) => `CONNECT ${secret}.example:443 HTTP/1.1\r\nHost: ${secret}\r\n\r\n`],
  ["target that is too long", (secret) => get(`/nope?${secret.repeat(900)}`)],
];

const bodies: readonly SentinelRequest[] = [
  ["value of a form", (secret) => post(states, form, `countryId=${secret}`)],
  ["name of a form's field", (secret) => post(states, form, `${secret}=1`)],
  ["form of an operation without forms", (secret) => post(logIn, form, `passWord=${secret}`)],
  ["member of JSON", (secret) => post(states, json, `{"countryId":"${secret}"}`)],
  ["name of a member", (secret) => post(states, json, `{"${secret}":1}`)],
  ["user name over JSON", (secret) => post(logIn, json, `{"userName":"${secret}"}`)],
  ["password over JSON", (secret) => post(logIn, json, `{"passWord":"${secret}"}`)],
  ["JSON that breaks off", (secret) => post(logIn, json, `{"passWord":"${secret}`)],
  ["invalid JSON", (secret) => post(logIn, json, `passWord=${secret}`)],
  ["JSON of another kind", (secret) => post(logIn, json, `["${secret}"]`)],
  [
    "JSON that is no UTF-8",
    (secret) => post(logIn, json, Buffer.from(`{"${secret}\xff"}`, "latin1")),
  ],
  [
    "page address",
    (secret) =>
      post(
        `${endpoint}/LogPageRequestAsync`,
        json,
        `{"pageRequestUrl":"https://a.example/${secret}?password=${secret}"}`,
      ),
  ],
  ["log-out", (secret) => post("/api/v1/log-out", json, `{"everywhere":"${secret}"}`)],
  ["unknown member of a log-out", (secret) => post("/api/v1/log-out", json, `{"${secret}":true}`)],
  ["log-out that breaks off", (secret) => post("/api/v1/log-out", json, `{"${secret}`)],
  ["body of an unknown type", (secret) => post(logIn, "Content-Type: text/csv", secret)],
  [
    "body that is packed",
    (secret) => request(`POST ${location}`, [xml, "Content-Encoding: gzip"], secret),
  ],
  [
    "body of several parts",
    (secret) =>
      post(
        location,
        "Content-Type: multipart/form-data; boundary=b",
        `--b\r\nContent-Disposition: form-data; name="${secret}"\r\n\r\n${secret}\r\n--b--\r\n`,
      ),
  ],
  ["body that is too long", (secret) => post(location, xml, secret.repeat(200))],
  ["body of nothing", (secret) => post("/nope", json, secret)],
  ["body of the metrics", (secret) => post("/metrics", json, secret)],
];

const framing: readonly SentinelRequest[] = [
  ["name of a header", (secret) => get("/nope", `${secret}: 1`)],
  ["line that is no header", (secret) => `GET / HTTP/1.1\r\nHost: x\r\n${secret}\r\n\r\n`],
  ["folded line", (secret) => `GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n ${secret}\r\n\r\n`],
  ["header that is too long", (secret) => get("/", `Cookie: ${secret.repeat(2_000)}`)],
  ["header with a NUL", (secret) => get("/", `Cookie: ${secret}\0`)],
  ["unknown method", (secret) => `${secret.toUpperCase()} / HTTP/1.1\r\nHost: x\r\n\r\n`],
  ["unknown version", (secret) => `GET /?${secret} HTTP/9.9\r\nHost: x\r\n\r\n`],
  ["bytes that are no HTTP", (secret) => `${secret}\r\n\r\n`],
  [
    "two lengths",
    (secret) =>
      `POST ${location} HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nContent-Length: 8\r\n\r\n${secret}`,
  ],
  [
    "invalid length",
    (secret) => `POST ${location} HTTP/1.1\r\nHost: x\r\nContent-Length: ${secret}\r\n\r\n`,
  ],
  [
    "unknown transfer encoding",
    (secret) => `POST ${location} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: ${secret}\r\n\r\n`,
  ],
  [
    "size of a chunk",
    (secret) =>
      `POST ${location} HTTP/1.1\r\nHost: x\r\n${xml}\r\nTransfer-Encoding: chunked\r\n\r\n${secret}\r\n`,
  ],
  [
    "extension of a chunk",
    (secret) =>
      `POST ${location} HTTP/1.1\r\nHost: x\r\n${xml}\r\nTransfer-Encoding: chunked\r\n\r\n1;${secret}\r\nx\r\n0\r\n\r\n`,
  ],
  [
    "trailer",
    (secret) =>
      `POST ${location} HTTP/1.1\r\nHost: x\r\n${xml}\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nA: ${secret}\r\n\r\n`,
  ],
  ["expectation", (secret) => request(`POST ${location}`, [xml, `Expect: ${secret}`], "<a/>")],
  ["other protocol", (secret) => get("/nope", `Upgrade: ${secret}`, "Connection: Upgrade")],
  [
    "body that breaks off",
    (secret) =>
      `POST ${location} HTTP/1.1\r\nHost: x\r\n${xml}\r\nContent-Length: 9000\r\n\r\n${secret}`,
  ],
  ["second request", (secret) => `${get("/healthz")}${get(`/nope?${secret}`)}`],
];

/** Every place; path, method and content type are logged (decision 0019). */
export const places: readonly SentinelRequest[] = [
  ...headers,
  ...addresses,
  ...bodies,
  ...envelopePlaces,
  ...framing,
];
