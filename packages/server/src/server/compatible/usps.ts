import { operationCaching } from "../../bindings/binding.ts";
import type { HttpResponse } from "../../bindings/http.ts";
import { bytesAsText } from "../../codec/decode-text.ts";
import { FieldLengthError, type FormFields, readFormFields } from "../../codec/form/fields.ts";
import { escapeAttribute, escapeText } from "../../codec/xml/escape.ts";
import { attributeOf, createXmlReader, type XmlElement, XmlError } from "../../codec/xml/reader.ts";
import { formLimits } from "../../contract/limits.ts";
import { Fault } from "../../fault.ts";
import { bodyOf, type CompatibleApi, type CompatibleApiDeps } from "./compatible-api.ts";
import { findUsPlace } from "./us-place.ts";

/** The only API of the USPS Web Tools that is offered; names of elements begin with it. */
const offered = "CityStateLookup";

/** Most ZIP codes of one request, as on the Web Tools. */
const zipCodesMax = 5;

/** Longest part of a request that an error repeats, in UTF-16 units. */
const quotedMax = 40;

/** An error as a whole, in the numbers of the Web Tools, which clients compare. */
interface UspsError {
  readonly number: string;
  readonly source: string;
}
const notAuthorized: UspsError = { number: "80040B1A", source: "USPSCOM::DoAuth" };
const unreadable: UspsError = { number: "80040B19", source: "USPSCOM::DoAuth" };
const unknownZipCode =
  "<Error><Number>-2147219399</Number><Source>WebtoolsAMS;CityStateLookup</Source>" +
  "<Description>Invalid Zip Code.</Description><HelpFile/><HelpContext/></Error>";

/**
 * Creates CityStateLookup of the USPS Web Tools, which closed in January 2026. Errors have status
 * 200, as there; any USERID is accepted, and never used (decision 0091).
 */
export function createUsps(deps: CompatibleApiDeps): readonly CompatibleApi[] {
  const readXml = createXmlReader();
  const lookUp = (element: XmlElement, index: number): string => {
    const id = attributeOf(element, "", "ID") ?? String(index);
    const zipCode = childText(element, "Zip5");
    const place = findUsPlace(zipCode, deps);
    const content =
      place === undefined
        ? unknownZipCode
        : `<Zip5>${zipCode}</Zip5><City>${place.city}</City><State>${place.state}</State>`;
    return `<ZipCode ID="${escapeAttribute(id)}">${content}</ZipCode>`;
  };
  const respond = (fields: FormFields): HttpResponse => {
    const name = fields.get("api") ?? "";
    if (name.toLowerCase() !== offered.toLowerCase()) {
      const found = name === "" ? "No API is named" : `The API ${quote(name)} is not offered`;
      return error(notAuthorized, `${found}. Use API=${offered}.`);
    }
    const elements = readZipCodes(fields.get("xml") ?? "", readXml);
    if (typeof elements === "string") return error(unreadable, elements);
    const results = elements.map(lookUp).join("");
    return document(200, `<${offered}Response>${results}</${offered}Response>`);
  };
  return [
    {
      methods: ["GET", "HEAD", "POST"],
      route: "/ShippingAPI.dll",
      matches: (path) => /^\/shippingapi(?:test)?\.dll$/i.test(path),
      respond: (request) => {
        const { head } = request;
        return head.method === "POST"
          ? bodyOf(request).then((body) => respond(readFields(head.query, bytesAsText(body))))
          : respond(readFields(head.query, ""));
      },
      refuse: (status, message) => error(unreadable, message, status),
    },
  ];
}

/** Reads the fields of the query, and those of a form that is posted, which win. */
function readFields(query: string, form: string): FormFields {
  const wanted = ["api", "xml"];
  try {
    return new Map([...readFormFields(query, { wanted }), ...readFormFields(form, { wanted })]);
  } catch (reason) {
    if (!(reason instanceof FieldLengthError)) throw reason;
    throw new Fault("too-large", `API and XML are longer than ${formLimits.valueBytes} bytes`);
  }
}

/** Returns the elements of the ZIP codes in a request, or describes its error. */
function readZipCodes(
  xml: string,
  readXml: (text: string) => XmlElement,
): readonly XmlElement[] | string {
  let root: XmlElement;
  try {
    root = readXml(xml);
  } catch (reason) {
    if (!(reason instanceof XmlError)) throw reason;
    const { message, line, column } = reason;
    return `XML Syntax Error in line ${line}, column ${column}: ${message}`;
  }
  if (root.name !== `${offered}Request`) {
    return `Expected ${offered}Request, found ${quote(root.name)}.`;
  }
  const elements = root.children.filter(({ name }) => name === "ZipCode");
  const isExpected = elements.length > 0 && elements.length <= zipCodesMax;
  const expected = `Expected 1 to ${zipCodesMax} ZipCode elements`;
  return isExpected ? elements : `${expected}, found ${elements.length}.`;
}

function childText({ children }: XmlElement, name: string): string {
  return children.find((child) => child.name === name)?.text.trim() ?? "";
}

function quote(text: string): string {
  return text.slice(0, quotedMax);
}

function error({ number, source }: UspsError, description: string, status = 200): HttpResponse {
  const content = `<Number>${number}</Number><Description>${escapeText(description)}</Description>`;
  return document(status, `<Error>${content}<Source>${source}</Source></Error>`);
}

/** One list for all responses: the fast path renders each list once. */
const headers = ["Cache-Control", operationCaching, "Content-Type", "text/xml; charset=utf-8"];

function document(status: number, root: string): HttpResponse {
  return { status, headers, body: `<?xml version="1.0" encoding="UTF-8"?>\n${root}` };
}
