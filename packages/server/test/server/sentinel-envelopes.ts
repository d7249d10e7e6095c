import { type EnvelopeVersion, writeEnvelope } from "../soap.ts";
import { endpointNamespace, locationNamespace } from "../test-server.ts";
import { post, type SentinelRequest, xml } from "./sentinel-request.ts";

const location = "/api/LocationUIHelper.asmx";
const endpoint = "/api/WebFormsAjaxEndpoint.svc";
const xml12 = "Content-Type: application/soap+xml";

/** Body with a secret, in a version of SOAP. */
type Write = (secret: string, version: EnvelopeVersion) => string | Buffer;

const call = (name: string, parts: string, namespace = endpointNamespace) =>
  `<${name} xmlns="${namespace}">${parts}</${name}>`;
const logIn = (user: string, password: string) =>
  call("LogInUser", `<userName>${user}</userName><passWord>${password}</passWord>`);
const states = (parts: string) => call("GetStateListForCountryId", parts, locationNamespace);
const country = (text: string) => states(`<countryId>${text}</countryId>`);
const pageAddress = (url: string) =>
  call("LogPageRequestAsync", `<pageRequestUrl>${url}</pageRequestUrl>`);
const wsa = 'xmlns:a="http://www.w3.org/2005/08/addressing"';

const inBody =
  (content: (secret: string) => string): Write =>
  (secret, version) =>
    writeEnvelope(version, content(secret));
const inHeader =
  (header: (secret: string) => string): Write =>
  (secret, version) =>
    writeEnvelope(version, country("840"), `<e:Header>${header(secret)}</e:Header>`);

const written: readonly (readonly [where: string, path: string, write: Write])[] = [
  ["user name", endpoint, inBody((secret) => logIn(secret, "x"))],
  ["password", endpoint, inBody((secret) => logIn("bob", secret))],
  ["page address", endpoint, inBody((secret) => pageAddress(`https://a.example/?q=${secret}`))],
  ["part that does not fit", location, inBody(country)],
  ["unknown part", location, inBody((secret) => states(`<${secret}>1</${secret}>`))],
  ["name of the element", location, inBody((secret) => call(secret, "", locationNamespace))],
  ["namespace of the element", location, inBody((secret) => call("A", "", `urn:${secret}`))],
  [
    "attribute",
    location,
    inBody((secret) => states(`<countryId ${secret}="${secret}">x</countryId>`)),
  ],
  ["comment", location, inBody((secret) => `<!--${secret}-->${country("x")}`)],
  ["text between parts", endpoint, inBody((secret) => call("LogInUser", secret))],
  ["prefix without a namespace", location, inBody((secret) => `<${secret}:a/>`)],
  ["CDATA", location, inBody((secret) => country(`<![CDATA[${secret}]]>`))],
  ["instruction", location, (secret, version) => `<?a ${secret}?>${writeEnvelope(version, "")}`],
  ["document type", location, (secret) => `<!DOCTYPE a [<!ENTITY b "${secret}">]><a>&b;</a>`],
  ["unknown entity", location, inBody((secret) => country(`&${secret};`))],
  ["header", location, inHeader((secret) => `<h>${secret}</h>`)],
  [
    "header that must be understood",
    location,
    inHeader((secret) => `<h e:mustUnderstand="1">${secret}</h>`),
  ],
  [
    "header of WS-Security",
    location,
    inHeader(
      (secret) =>
        `<w:Security xmlns:w="urn:w" e:mustUnderstand="1"><w:Password>${secret}</w:Password></w:Security>`,
    ),
  ],
  ["message id", endpoint, inHeader((secret) => `<a:MessageID ${wsa}>${secret}</a:MessageID>`)],
  ["address", endpoint, inHeader((secret) => `<a:To ${wsa} e:mustUnderstand="1">${secret}</a:To>`)],
  ["action", endpoint, inHeader((secret) => `<a:Action ${wsa}>${secret}</a:Action>`)],
  ["namespace of the envelope", location, (secret) => `<e:Envelope xmlns:e="urn:${secret}"/>`],
  [
    "envelope that breaks off",
    location,
    (secret, version) => writeEnvelope(version, country(secret)).slice(0, -20),
  ],
  [
    "envelope that is no UTF-8",
    location,
    (secret, version) => Buffer.from(writeEnvelope(version, `\xff${secret}`), "latin1"),
  ],
  ["encoding", location, (secret) => `<?xml version="1.0" encoding="${secret}"?><a/>`],
  ["no envelope", endpoint, (secret) => secret],
];

/** Places in what is sent as an envelope, over both versions of SOAP. */
export const envelopePlaces: readonly SentinelRequest[] = written.flatMap(
  ([where, path, write]): SentinelRequest[] => [
    [`${where}, SOAP 1.1`, (secret) => post(path, xml, write(secret, "1.1"))],
    [`${where}, SOAP 1.2`, (secret) => post(path, xml12, write(secret, "1.2"))],
  ],
);
