import { ajaxEndpoint } from "@wfh/server/contract/ajax-endpoint.ts";
import type { locationHelper } from "@wfh/server/contract/location-helper.ts";
import { type LookUp, listLookUps, writeLookUp } from "../harness/look-ups.ts";

/** One request as bytes. */
export interface Work {
  readonly request: Buffer;
  /** Text that its response must contain; empty where that is not checked under load. */
  readonly holds: string;
}

/** Bindings of the location helper. */
export type LookUpBinding = (typeof locationHelper)["bindings"][number];

/** Of the servers that are measured: what a server has without settings. */
export const namespace = "http://tempuri.org/";

/** Look-ups over a binding, with the postal code of each. */
export function lookUps(binding: LookUpBinding): readonly (Work & LookUp)[] {
  return listLookUps().map((lookUp) => ({
    ...lookUp,
    request: writeLookUp(binding, lookUp.code, namespace),
    holds: holdsCity(binding, lookUp.place.city),
  }));
}

function holdsCity(binding: LookUpBinding, city: string): string {
  if (binding === "json") return `"City":${JSON.stringify(city)}`;
  return `<City>${city.replaceAll("&", "&amp;")}</City>`;
}

/** Different page requests of a workload. */
const pageRequestCount = 1_000;

/** The kinds of page requests that are timed, and the binding of each. */
export const pageRequestWork = {
  "page-requests-soap11": "soap11",
  "page-requests-json": "json",
} as const;
/** The kinds of log-ins with right passwords, and the binding of each. */
export const logInWork = { "log-ins-json": "json", "log-ins-soap11": "soap11" } as const;

/** A look-up of a ZIP code by its path, and text that the response must contain. */
type PathLookUp = (lookUp: LookUp) => readonly [path: string, holds: string];

/** Look-ups of others, by their names in WFH_COMPATIBLE_APIS. */
export const compatibleLookUps: Readonly<Record<string, PathLookUp>> = {
  usps: ({ code, place }) => {
    const zipCode = `<ZipCode ID="0"><Zip5>${code}</Zip5></ZipCode>`;
    const xml = `<CityStateLookupRequest USERID="123ABC456">${zipCode}</CityStateLookupRequest>`;
    const path = `/ShippingAPI.dll?API=CityStateLookup&XML=${encodeURIComponent(xml)}`;
    return [path, `<State>${place.state.abbreviation}</State>`];
  },
  "usps-v3": ({ code, place }) => [
    `/addresses/v3/city-state?ZIPCode=${code}`,
    `"state":"${place.state.abbreviation}"`,
  ],
  zippopotam: ({ code, place }) => [`/us/${code}`, `"place name":${JSON.stringify(place.city)}`],
};

const lookUpByRest: PathLookUp = ({ code, place }) => [
  `/api/v1/places/US/${code}`,
  `"city":${JSON.stringify(place.city)}`,
];

/**
 * Work of a name: page requests or log-ins over a binding, `look-ups-checked`, `rest`, a look-up of
 * others, or a binding for look-ups without checked responses, which the reference server cannot
 * give.
 */
export function workOf(name: string): readonly Work[] {
  const logInBinding = logInWork[name as keyof typeof logInWork];
  if (logInBinding !== undefined) return rightLogIns(logInBinding);
  const binding = pageRequestWork[name as keyof typeof pageRequestWork];
  if (name === "look-ups-checked") return lookUps("http-get");
  if (name === "rest") return lookUpsAt(lookUpByRest);
  const compatible = compatibleLookUps[name];
  if (compatible !== undefined) return lookUpsAt(compatible);
  if (binding === undefined) {
    return lookUps(name as LookUpBinding).map(({ request }) => ({ request, holds: "" }));
  }
  return Array.from({ length: pageRequestCount }, (_, i) => ({
    request: pageRequest(binding, i),
    holds: "",
  }));
}

function lookUpsAt(toLookUp: PathLookUp): readonly Work[] {
  return listLookUps().map((lookUp) => {
    const [path, holds] = toLookUp(lookUp);
    const head = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: keep-alive\r\n\r\n`;
    return { request: Buffer.from(head), holds };
  });
}

/** A usual page request; its first part tells one of a workload from another. */
function pageRequest(binding: EndpointBinding, i: number): Buffer {
  const values = [
    i,
    123_456_789,
    `https://forms.example.org/apply/step-${i}?campaign=autumn`,
    3,
    true,
    1_234_567,
    1_920,
    1_080,
    5,
    6,
    "2026-01-02T03:04:05.678Z",
    7,
    8,
  ];
  const names = Object.keys(ajaxEndpoint.operations.LogPageRequestAsync.input);
  const parts = Object.fromEntries(names.map((name, at) => [name, values[at] ?? 0]));
  return endpointCall(binding, "LogPageRequestAsync", parts);
}

/** A password that is right for every account of a benchmark. */
export const rightPassword = "five small grey pigeons";

/** Accounts of a benchmark. */
export const accountCount = 1_000;

/** Name of the account with this number, from 0. */
export function accountName(i: number): string {
  return `user-${i}`;
}

/** One log-in. */
export interface LogInCall {
  readonly binding: EndpointBinding;
  readonly userName: string;
  readonly password: string;
  /** Number of the caller's network, as a trusted proxy would send it, of 2 ** 24. */
  readonly network: number;
}

/** A log-in as a client that keeps its connection sends it. */
export function writeLogIn({ binding, userName, password, network }: LogInCall): Buffer {
  const address = `${(network >> 16) & 255}.${(network >> 8) & 255}.${network & 255}.7`;
  const sender = `X-Forwarded-For: ${address}\r\n`;
  return endpointCall(binding, "LogInUser", { userName, passWord: password }, sender);
}

/** Log-ins with right passwords, one for each account, all from a network of their own. */
function rightLogIns(binding: EndpointBinding): readonly Work[] {
  const holds = binding === "json" ? '"Success":true' : "Success>true<";
  return Array.from({ length: accountCount }, (_, i) => {
    const call = { binding, userName: accountName(i), password: rightPassword, network: i };
    return { request: writeLogIn(call), holds };
  });
}

/** Bindings of the AJAX endpoint that are timed. */
type EndpointBinding = "json" | "soap11";

function endpointCall(
  binding: EndpointBinding,
  operation: string,
  input: Readonly<Record<string, unknown>>,
  sender = "",
): Buffer {
  const { path, interfaceName } = ajaxEndpoint;
  if (binding === "json") {
    const type = "Content-Type: application/json; charset=utf-8\r\n";
    return Buffer.from(post(`${path}/${operation}`, sender + type, JSON.stringify(input)));
  }
  const parts = Object.entries(input).map(([part, value]) => `<${part}>${value}</${part}>`);
  const body =
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>' +
    `<${operation} xmlns="${namespace}">${parts.join("")}</${operation}></s:Body></s:Envelope>`;
  const action = `SOAPAction: "${namespace}${interfaceName}/${operation}"\r\n`;
  return Buffer.from(
    post(path, `${sender}Content-Type: text/xml; charset=utf-8\r\n${action}`, body),
  );
}

function post(path: string, headers: string, body: string): string {
  const host = "Host: 127.0.0.1\r\nConnection: keep-alive\r\n";
  return `POST ${path} HTTP/1.1\r\n${host}${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
