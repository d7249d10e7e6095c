import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";

/** A log-in as a client sends it. */
export interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: string | Buffer;
}

const service = "/api/WebFormsAjaxEndpoint.svc";
const operation = `${service}/LogInUser`;
const xml = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
const references = (text: string) =>
  [...text].map((one) => `&#x${one.codePointAt(0)?.toString(16)};`).join("");
const unicode = (text: string) =>
  Array.from(
    { length: text.length },
    (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, "0")}`,
  ).join("");
const percent = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
const oldEscape = (text: string) =>
  Array.from(
    { length: text.length },
    (_, i) => `%u${text.charCodeAt(i).toString(16).padStart(4, "0")}`,
  ).join("");
/** A LogInUser call over SOAP. */
export const envelope = (
  content: string,
  namespace = "http://schemas.xmlsoap.org/soap/envelope/",
) =>
  `<?xml version="1.0" encoding="utf-8"?><s:Envelope xmlns:s="${namespace}"><s:Body><LogInUser xmlns="http://example.org/forms"><userName>bob</userName>${content}</LogInUser></s:Body></s:Envelope>`;
/** A POST of SOAP 1.1. */
export const soap11 = (body: string | Buffer, ...more: string[]): Sent => ({
  path: service,
  headers: ["Content-Type", "text/xml; charset=utf-8", "SOAPAction", '"x/LogInUser"', ...more],
  body,
});
/** A POST of JSON. */
export const json = (body: string | Buffer, type = "application/json"): Sent => ({
  path: operation,
  headers: ["Content-Type", type],
  body,
});
const form = (body: string, type = "application/x-www-form-urlencoded"): Sent => ({
  path: operation,
  headers: ["Content-Type", type],
  body,
});

/** Ways to send a password that servers read, by name. */
export const whole: Readonly<Record<string, (password: string) => Sent>> = {
  "SOAP 1.1": (password) => soap11(envelope(`<passWord>${xml(password)}</passWord>`)),
  "SOAP 1.1 with a byte order mark": (password) =>
    soap11(`\ufeff${envelope(`<passWord>${xml(password)}</passWord>`)}`),
  "SOAP 1.2": (password) => ({
    path: service,
    headers: ["Content-Type", 'application/soap+xml; charset=utf-8; action="x/LogInUser"'],
    body: envelope(
      `<passWord>${xml(password)}</passWord>`,
      "http://www.w3.org/2003/05/soap-envelope",
    ),
  }),
  CDATA: (password) => soap11(envelope(`<passWord><![CDATA[${password}]]></passWord>`)),
  references: (password) => soap11(envelope(`<passWord>${references(password)}</passWord>`)),
  "a prefix": (password) =>
    soap11(
      envelope(`<f:passWord xmlns:f="http://example.org/forms">${xml(password)}</f:passWord>`),
    ),
  "a comment in the value": (password) =>
    soap11(envelope(`<passWord><!-- a > b -->${xml(password)}</passWord>`)),
  "two passwords": (password) =>
    soap11(envelope(`<passWord>other</passWord><passWord>${xml(password)}</passWord>`)),
  "WS-Security": (password) =>
    soap11(
      envelope("").replace(
        "<s:Body>",
        `<s:Header><w:Security xmlns:w="w"><w:UsernameToken><w:Password>${xml(password)}</w:Password></w:UsernameToken></w:Security></s:Header><s:Body>`,
      ),
    ),
  "ISO 8859-1": (password) => ({
    ...soap11(
      Buffer.from(
        envelope(`<passWord>${xml(password)}</passWord>`).replace("utf-8", "iso-8859-1"),
        "latin1",
      ),
    ),
    headers: ["Content-Type", "text/xml; charset=iso-8859-1"],
  }),
  JSON: (password) => json(JSON.stringify({ userName: "bob", passWord: password })),
  "JSON with escapes": (password) => json(`{"userName":"bob","passWord":"${unicode(password)}"}`),
  "JSON with an escaped name": (password) =>
    json(`{"\\u0070ass\\u0057ord" : ${JSON.stringify(password)}, "userName":"bob"}`),
  "JSON with two passwords": (password) =>
    json(
      `{"passWord":"other","passWord":${JSON.stringify(password)},"PASSWORD":${JSON.stringify(password)}}`,
    ),
  "JSON in JSON": (password) => json(JSON.stringify({ d: [{ passWord: password }] })),
  "JSON as text": (password) =>
    json(JSON.stringify({ userName: "bob", passWord: password }), "text/plain"),
  "JSON with another name": (password) => json(JSON.stringify({ userName: "bob", pwd: password })),
  "a form": (password) => form(`userName=bob&passWord=${encodeURIComponent(password)}`),
  "a form with all escaped": (password) =>
    form(`userName=bob&${percent("passWord")}=${percent(password)}`),
  "a form by escape()": (password) => form(`passWord=${oldEscape(password)}&userName=bob`),
  "a form without a type": (password) => form(`passWord=${percent(password)}`, "text/plain"),
  "a query": (password) => ({
    method: "GET",
    path: `${operation}?userName=bob&pass%57ord=${encodeURIComponent(password)}`,
    headers: ["Referer", `http://x/?a=1&password=${encodeURIComponent(password)}`],
    body: "",
  }),
};

/** Those that need more than a search for the name of the part to be found. */
export const omitted: Readonly<Record<string, (password: string) => Sent>> = {
  gzip: (password) =>
    soap11(gzipSync(envelope(`<passWord>${xml(password)}</passWord>`)), "Content-Encoding", "gzip"),
  "gzip twice": (password) =>
    soap11(
      gzipSync(gzipSync(envelope(`<passWord>${xml(password)}</passWord>`))),
      "Content-Encoding",
      "gzip, gzip",
    ),
  "UTF-16": (password) => ({
    ...soap11(Buffer.from(`\ufeff${envelope(`<passWord>${xml(password)}</passWord>`)}`, "utf16le")),
    headers: ["Content-Type", "text/xml; charset=utf-16"],
  }),
  "UTF-16 by its bytes alone": (password) =>
    soap11(Buffer.from(envelope(`<passWord>${xml(password)}</passWord>`), "utf16le")),
  "UTF-7": (password) => ({
    ...soap11(`+ADw-passWord+AD4-${password}`),
    headers: ["Content-Type", "text/xml; charset=utf-7"],
  }),
  "UTF-7 that is not declared": (password) =>
    form(`+ADw-passWord+AD4-${password}+ADw-/passWord+AD4-`),
  "XML that is cut off": (password) =>
    soap11(envelope(`<passWord>${xml(password)}</passWord`).slice(0, -60)),
  "a document type": (password) =>
    soap11(`<!DOCTYPE a [<!ENTITY p "${xml(password)}">]><a><passWord>&p;</passWord></a>`),
  "an attribute": (password) => soap11(envelope(`<logIn passWord="${xml(password)}"/>`)),
  "a password in a password": (password) =>
    soap11(envelope(`<passWord>a<passWord>${xml(password)}</passWord>b</passWord>`)),
  "XML in XML": (password) =>
    soap11(envelope(`<any>${xml(`<passWord>${xml(password)}</passWord>`)}</any>`)),
  "JSON in XML": (password) =>
    soap11(envelope(`<any>${xml(JSON.stringify({ passWord: password }))}</any>`)),
  "JSON in a text of JSON": (password) =>
    json(JSON.stringify({ d: JSON.stringify({ passWord: password }) })),
  "JSON that is cut off": (password) =>
    json(`{"userName":"bob","passWord":${JSON.stringify(password)}`),
  JavaScript: (password) => json(`{passWord:'${unicode(password)}'}`),
  "an object": (password) => json(JSON.stringify({ passWord: { is: password } })),
  "names and values in turn, as serializeArray() of jQuery has them": (password) =>
    json(
      JSON.stringify([
        { name: "userName", value: "bob" },
        { name: "passWord", value: password },
      ]),
    ),
  "a map of PHP": (password) =>
    soap11(envelope(`<item><key>passWord</key><value>${xml(password)}</value></item>`)),
  multipart: (password) =>
    form(
      `--b\r\nContent-Disposition: form-data; name="passWord"\r\n\r\n${password}\r\n--b--\r\n`,
      "multipart/form-data; boundary=b",
    ),
  "the user name is the password": (password) =>
    json(JSON.stringify({ userName: password, passWord: password })),
};

/** Those that do not name the password, so that only what the call is tells that there is one. */
export const unnamed: Readonly<Record<string, (password: string) => Sent>> = {
  "an array": (password) => json(JSON.stringify(["bob", password])),
  "a misspelled operation": (password) => ({
    ...json(JSON.stringify({ user: "bob", code: password })),
    path: `${service}/LogInUsr`,
  }),
  "another element": (password) => soap11(envelope(`<word>${xml(password)}</word>`)),
};

/** Responses in which old servers repeat a password. */
export const echoes: readonly ((password: string) => {
  headers?: string[];
  body?: string | Buffer;
})[] = [
  () => ({ body: '{"d":{"Success":true}}' }),
  (password) => ({ body: `Wrong password: ${password}` }),
  (password) => ({ body: Buffer.from(`Wrong: ${password}`, "latin1") }),
  (password) => ({ body: Buffer.from(`Wrong: ${password}`, "utf16le") }),
  (password) => ({ body: `<a>${xml(password)}</a>` }),
  (password) => ({ body: `<a>${references(password)}</a>` }),
  (password) => ({ body: JSON.stringify({ d: password }) }),
  (password) => ({ body: `{"d":"${unicode(password)}"}` }),
  (password) => ({ body: `<a href="/?p=${encodeURIComponent(password)}">` }),
  (password) => ({ body: Buffer.from(`bob:${password}`).toString("base64") }),
  (password) => ({ headers: ["Content-Encoding", "gzip"], body: gzipSync(password) }),
  (password) => ({ headers: ["Content-Encoding", "deflate"], body: deflateSync(password) }),
  (password) => ({ headers: ["Content-Encoding", "deflate"], body: deflateRawSync(password) }),
  (password) => ({ headers: ["Content-Encoding", "br"], body: brotliCompressSync(password) }),
  (password) => ({
    headers: ["Content-Encoding", "gzip, gzip"],
    body: gzipSync(gzipSync(password)),
  }),
  (password) => ({ headers: ["X-Debug", encodeURIComponent(password)] }),
  (password) => ({ headers: ["Location", `/?a=${percent(password)}`] }),
];
