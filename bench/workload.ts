import { ajaxEndpoint } from "../src/contract/ajax-endpoint.ts";
import { type BindingName, bindings as facts } from "../src/contract/bindings.ts";
import { locationHelper } from "../src/contract/location-helper.ts";
import { builtInGazetteer } from "../src/gazetteer/format/artifact.ts";
import { openGazetteer } from "../src/gazetteer/format/reader.ts";
import { logInSuccess, logInWork, rightLogIns } from "./log-in-work.ts";

/** One request as bytes. */
export interface Work {
  readonly request: Buffer;
  /** What every response of the workload has to hold, where that is checked under load. */
  readonly holds?: string;
}

/** One look-up, with what its response must hold. */
export interface LookUp extends Work {
  readonly postalCode: string;
  readonly expected: string;
}

/** Bindings of the location helper. */
export type LookUpBinding = (typeof locationHelper)["bindings"][number];

/** Different postal codes in one workload, so that no single response can be kept ready. */
const codeCount = 1_000;
const namespace = "http://tempuri.org/";
const operation = "PostalCodeToCityState";

/** Real postal codes, spread evenly over the whole range; the same ones each time. */
export function postalCodes(): readonly { readonly code: string; readonly city: string }[] {
  const gazetteer = openGazetteer(builtInGazetteer);
  const found: { code: string; city: string }[] = [];
  for (let i = 1; i < 100_000; i += 1) {
    const code = String((i * 48_271) % 99_991).padStart(5, "0");
    const place = gazetteer.findPlace(code, () => 0);
    if (place !== undefined) found.push({ code, city: place.city });
    if (found.length === codeCount) return found;
  }
  throw new Error(`The gazetteer holds fewer than ${codeCount} codes`);
}

/** The envelope of a call, as a .NET client writes it. */
export function envelopeOf(binding: BindingName, code: string): string {
  const envelope =
    binding === "soap12"
      ? "http://www.w3.org/2003/05/soap-envelope"
      : "http://schemas.xmlsoap.org/soap/envelope/";
  return (
    '<?xml version="1.0" encoding="utf-8"?><soap:Envelope ' +
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema" ' +
    `xmlns:soap="${envelope}"><soap:Body><${operation} xmlns="${namespace}">` +
    `<postalCode>${code}</postalCode></${operation}></soap:Body></soap:Envelope>`
  );
}

/** A workload of one binding: a thousand look-ups as a keep-alive client sends them. */
export function lookUps(binding: LookUpBinding): readonly LookUp[] {
  return postalCodes().map(({ code, city }) => ({
    postalCode: code,
    request: Buffer.from(requestOf(binding, code)),
    expected:
      binding === "json"
        ? `"City":${JSON.stringify(city)}`
        : `<City>${city.replaceAll("&", "&amp;")}</City>`,
  }));
}

function requestOf(binding: LookUpBinding, code: string): string {
  const { method, at, requestMediaType } = facts[binding];
  const query = `postalCode=${code}`;
  const path = locationHelper.path + (at === "service" ? "" : `/${operation}`);
  if (method === "GET") {
    return `GET ${path}?${query} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: keep-alive\r\n\r\n`;
  }
  const parts = binding === "json" ? JSON.stringify({ postalCode: code }) : query;
  const body = at === "service" ? envelopeOf(binding, code) : parts;
  const type = `Content-Type: ${requestMediaType}${at === "service" ? "; charset=utf-8" : ""}\r\n`;
  const action = binding === "soap11" ? `SOAPAction: "${namespace}${operation}"\r\n` : "";
  return post(path, type + action, body);
}

/** The kinds of page requests that are timed. */
export const pageRequestWork = ["page-requests-soap11", "page-requests-json"] as const;

/** The work of a name: a binding for look-ups, one of {@link pageRequestWork}, or log-ins over a binding. */
export function workOf(name: string): readonly Work[] {
  const binding = logInWork[name as keyof typeof logInWork];
  if (binding !== undefined) {
    return rightLogIns(binding).map((request) => ({ request, holds: logInSuccess[binding] }));
  }
  if (name === "page-requests-soap11") return pageRequests(soapPageRequest);
  if (name === "page-requests-json") return pageRequests(jsonPageRequest);
  return lookUps(name as LookUpBinding);
}

/** Fields of a usual page request; the first tells one of a workload from another. */
function fieldsOf(i: number): readonly (readonly [name: string, value: string])[] {
  const values = [
    ...[String(i), "123456789", `https://forms.example.org/apply/step-${i}?campaign=autumn`],
    ...["3", "true", "1234567", "1920", "1080", "5", "6", "2026-01-02T03:04:05.678Z", "7", "8"],
  ];
  const names = Object.keys(ajaxEndpoint.operations.LogPageRequestAsync.input);
  return names.map((name, at) => [name, values[at] ?? ""]);
}

function pageRequests(write: (i: number) => string): readonly Work[] {
  return Array.from({ length: codeCount }, (_, i) => ({ request: Buffer.from(write(i)) }));
}

function soapPageRequest(i: number): string {
  const name = "LogPageRequestAsync";
  const parts = fieldsOf(i).map(([part, value]) => `<${part}>${value}</${part}>`);
  const body =
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>' +
    `<${name} xmlns="${namespace}">${parts.join("")}</${name}></s:Body></s:Envelope>`;
  const action = `SOAPAction: "${namespace}${ajaxEndpoint.interfaceName}/${name}"\r\n`;
  return post(ajaxEndpoint.path, `Content-Type: text/xml; charset=utf-8\r\n${action}`, body);
}

function jsonPageRequest(i: number): string {
  const isText = (name: string) => name === "pageRequestUrl" || name === "sessionDate";
  const members = fieldsOf(i).map(
    ([name, value]) => `"${name}":${isText(name) ? `"${value}"` : value}`,
  );
  const type = "Content-Type: application/json; charset=utf-8\r\n";
  return post(`${ajaxEndpoint.path}/LogPageRequestAsync`, type, `{${members.join(",")}}`);
}

function post(path: string, headers: string, body: string): string {
  const host = "Host: 127.0.0.1\r\nConnection: keep-alive\r\n";
  return `POST ${path} HTTP/1.1\r\n${host}${headers}Content-Length: ${body.length}\r\n\r\n${body}`;
}
