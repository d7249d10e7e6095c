import { type BindingName, bindings as facts } from "../src/contract/bindings.ts";
import { locationHelper } from "../src/contract/location-helper.ts";
import { builtInGazetteer } from "../src/gazetteer/built-in.ts";
import { openGazetteer } from "../src/gazetteer/reader.ts";

/** One look-up: the request as bytes, and what its answer must hold. */
export interface LookUp {
  readonly postalCode: string;
  readonly request: Buffer;
  readonly expected: string;
}

/** Different postal codes in one workload, so that no single answer can be kept ready. */
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
export function lookUps(binding: BindingName): readonly LookUp[] {
  return postalCodes().map(({ code, city }) => ({
    postalCode: code,
    request: Buffer.from(requestOf(binding, code)),
    expected: `<City>${city.replaceAll("&", "&amp;")}</City>`,
  }));
}

function requestOf(binding: BindingName, code: string): string {
  const { method, at, requestMediaType } = facts[binding];
  const query = `postalCode=${code}`;
  const path = locationHelper.path + (at === "service" ? "" : `/${operation}`);
  const host = "Host: 127.0.0.1\r\nConnection: keep-alive\r\n";
  if (method === "GET") return `GET ${path}?${query} HTTP/1.1\r\n${host}\r\n`;
  const body = at === "service" ? envelopeOf(binding, code) : query;
  const type = `Content-Type: ${requestMediaType}${at === "service" ? "; charset=utf-8" : ""}\r\n`;
  const action = binding === "soap11" ? `SOAPAction: "${namespace}${operation}"\r\n` : "";
  return `POST ${path} HTTP/1.1\r\n${host}${type}${action}Content-Length: ${body.length}\r\n\r\n${body}`;
}
