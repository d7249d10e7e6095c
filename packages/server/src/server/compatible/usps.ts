import { operationCaching } from "../../bindings/binding.ts";
import type { HttpResponse } from "../../bindings/http.ts";
import { bytesAsText } from "../../codec/decode-text.ts";
import { FieldLengthError, type FormFields, readFormFields } from "../../codec/form/fields.ts";
import { EnvelopeTemplates } from "../../codec/xml/envelope-template.ts";
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

/** A ZIP code of a request, with the ID that its place is returned under. */
interface ZipCode {
  readonly id: string;
  readonly zip5: string;
}

/** IDs of a request, each with the slot of its ZIP code in a template. */
type RequestTemplate = readonly { readonly id: string; readonly slot: number }[];

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
  const readZipCodes = compileReader(deps.fastPath);
  const lookUp = ({ id, zip5 }: ZipCode): string => {
    const place = findUsPlace(zip5, deps);
    const content =
      place === undefined
        ? unknownZipCode
        : `<Zip5>${zip5}</Zip5><City>${place.city}</City><State>${place.state}</State>`;
    return `<ZipCode ID="${escapeAttribute(id)}">${content}</ZipCode>`;
  };
  const respond = (fields: FormFields): HttpResponse => {
    const name = fields.get("api") ?? "";
    if (name.toLowerCase() !== offered.toLowerCase()) {
      const found = name === "" ? "No API is named" : `The API ${quote(name)} is not offered`;
      return error(notAuthorized, `${found}. Use API=${offered}.`);
    }
    const zipCodes = readZipCodes(fields.get("xml") ?? "");
    if (typeof zipCodes === "string") return error(unreadable, zipCodes);
    const results = zipCodes.map(lookUp).join("");
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
    const fields = readFormFields(query, { wanted });
    return form === "" ? fields : new Map([...fields, ...readFormFields(form, { wanted })]);
  } catch (reason) {
    if (!(reason instanceof FieldLengthError)) throw reason;
    throw new Fault("too-large", `API and XML are longer than ${formLimits.valueBytes} bytes`);
  }
}

/**
 * Compiles the reader of requests, which returns the ZIP codes of one, or describes its error. A
 * request that differs from an earlier one only in codes is read as envelopes are (decision 0038).
 */
function compileReader(fastPath: boolean): (xml: string) => readonly ZipCode[] | string {
  const templates = fastPath ? new EnvelopeTemplates<RequestTemplate>() : undefined;
  const readXml = createXmlReader();
  return (xml) => {
    const match = templates?.match(xml);
    if (match !== undefined) {
      return match.meaning.map(({ id, slot }) => ({ id, zip5: match.values[slot]?.trim() ?? "" }));
    }
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
    if (elements.length === 0 || elements.length > zipCodesMax) {
      return `Expected 1 to ${zipCodesMax} ZipCode elements, found ${elements.length}.`;
    }
    const codes = elements.map((element, index) => ({
      id: attributeOf(element, "", "ID") ?? String(index),
      zip5: element.children.find(({ name }) => name === "Zip5"),
    }));
    templates?.add(xml, root, (slotOf) => {
      const slots = codes.map(({ id, zip5 }) => ({ id, slot: zip5 ? slotOf(zip5) : -1 }));
      return slots.every(({ slot }) => slot >= 0) ? slots : undefined;
    });
    return codes.map(({ id, zip5 }) => ({ id, zip5: zip5?.text.trim() ?? "" }));
  };
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
