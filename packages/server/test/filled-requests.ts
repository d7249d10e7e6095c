import { compileBinding } from "../src/bindings/compile-binding.ts";
import { ajaxEndpoint } from "../src/contract/ajax-endpoint.ts";
import type { RequestDescription } from "../src/contract/bindings.ts";
import { formLimits, logInBodyBytesMax, xmlLimits } from "../src/contract/limits.ts";
import { locationHelper } from "../src/contract/location-helper.ts";
import { restApi } from "../src/contract/rest-api.ts";
import { operationsOf, requestPartsOf } from "../src/metadata/described-service.ts";
import type { SentPart } from "../src/metadata/samples/request.ts";
import { sampleCall } from "../src/metadata/samples/sample-call.ts";
import { describeResource, type MessageFormat } from "../src/metadata/samples/sample-target.ts";
import { endpointNamespace, locationNamespace } from "./test-server.ts";

/** Defaults of WFH_BODY_BYTES_MAX and WFH_TARGET_BYTES_MAX. */
const bodyBytesMax = 65_536;
const targetBytesMax = 8_192;

/** Units that fill texts: every class of characters, and signs that are read as one. */
const units = [
  " ",
  "\t",
  "\n",
  "\r",
  "\0",
  "\u00a0",
  "0",
  "9",
  "a",
  "Z",
  "_",
  "é",
  "\u0301",
  "\u{1f600}",
  '"',
  "'",
  "`",
  "(",
  ")",
  "[",
  "]",
  "{",
  "}",
  "<",
  ">",
  "\\",
  "/",
  "|",
  "-",
  "+",
  "*",
  "~",
  ".",
  ",",
  ":",
  ";",
  "!",
  "?",
  "=",
  "&",
  "#",
  "@",
  "%",
  "$",
  "^",
  "\ud800",
  "%20",
  "%25",
  "%u0020",
  "//:",
  "a=",
  "=&",
  "\\u0020",
  "\u0301\u0316",
  "]]>",
];

/** Beginnings of forms that are known, before the filling. */
const beginnings = [
  "",
  "/Date(0",
  "2020-01-01T00:00:00.",
  "-1",
  "1e",
  "https://a/?a=",
  "https://",
  "K1A ",
];

/** The longest message; and the longest text not refused for its length, with an unfit end. */
const shapes = [
  { end: "", isWhole: true },
  { end: "\u2603", isWhole: false },
];

/** One text of a request, and the request around it. */
interface Field {
  readonly operation: string;
  readonly format: MessageFormat;
  readonly part: string;
  readonly request: RequestDescription;
  /** Path of the service. */
  readonly address: string;
  /** The other parts with the texts of the example. */
  readonly others: readonly SentPart[];
  readonly bytesMax: number;
}

/** A request of which one text is filled with a run of characters. */
export interface FilledRequest extends Pick<Field, "format" | "operation" | "part"> {
  readonly beginning: string;
  readonly unit: string;
  readonly end: string;
  /** Makes path and query, headers and body when sent: together they would not fit into memory. */
  build(): { target: string; method: string; headers: readonly string[]; body: string };
}

const described = [
  { contract: locationHelper, namespace: locationNamespace, address: locationHelper.path },
  { contract: ajaxEndpoint, namespace: endpointNamespace, address: ajaxEndpoint.path },
];

/** Every text of every operation over every binding, as the contract has them. */
const fields: readonly Field[] = [
  ...described.flatMap((service) =>
    service.contract.bindings.flatMap((format) =>
      operationsOf(service).flatMap(([name]) =>
        listFields(service, name, format, compileBinding[format](service).describeRequest(name)),
      ),
    ),
  ),
  ...Object.entries(restApi.operations).flatMap(([name, { resource }]) =>
    listFields(
      { contract: restApi, address: restApi.path },
      name,
      "rest",
      describeResource(resource),
    ),
  ),
];

function listFields(
  service: Parameters<typeof sampleCall>[0],
  name: string,
  format: MessageFormat,
  request: RequestDescription,
): readonly Field[] {
  const { operation, sent } = sampleCall(service, name, "example");
  const bodyMax = operation.credentials ? logInBodyBytesMax : bodyBytesMax;
  return Object.keys(requestPartsOf(operation).parts).map((part) => ({
    operation: name,
    format,
    part,
    request,
    address: service.address,
    others: sent.filter((one) => one.name !== part),
    bytesMax: request.method === "GET" ? targetBytesMax : bodyMax,
  }));
}

type PartsAs = RequestDescription["partsAs"];

const write: Readonly<Record<PartsAs, (parts: readonly SentPart[]) => string>> = {
  elements: (parts) =>
    parts.map(({ name, text }) => `<${name}>${escapeXml(text)}</${name}>`).join(""),
  fields: (parts) => parts.map(({ name, text }) => `${name}=${escapeField(text)}`).join("&"),
  members: (parts) => {
    const isBare = ({ type }: SentPart) => type === "int" || type === "boolean";
    const members = parts.map((part) => [
      part.name,
      isBare(part) ? JSON.parse(part.text) : part.text,
    ]);
    return JSON.stringify(Object.fromEntries(members));
  },
};

/** Leaves what no XML may hold as it is. */
function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function escapeField(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Most repeats of a unit within one text that is not refused for its length. */
const repeatsMax: Readonly<Record<PartsAs, (unit: string) => number>> = {
  elements: (unit) => {
    const marks = escapeXml(unit).match(/[<&\r\n]/g)?.length ?? 0;
    const byMarks = marks === 0 ? Number.POSITIVE_INFINITY : (xmlLimits.marks - 100) / marks;
    return Math.min((xmlLimits.textLength - 100) / unit.length, byMarks);
  },
  fields: (unit) => (formLimits.valueBytes - 100) / escapeField(unit).length,
  members: () => Number.POSITIVE_INFINITY,
};

/** All requests; the order is that of the contract. */
export function listFilledRequests(): readonly FilledRequest[] {
  return fields.flatMap((field) =>
    beginnings.flatMap((beginning) =>
      units.flatMap((unit) =>
        shapes.map(({ end, isWhole }) => {
          const { format, operation, part, request } = field;
          const build = () => {
            const fits = countRepeats(field, beginning, unit);
            const count = isWhole ? fits : Math.min(fits, repeatsMax[request.partsAs](unit));
            return fill(field, beginning + unit.repeat(count) + end);
          };
          return { format, operation, part, beginning, unit, end, build };
        }),
      ),
    ),
  );
}

/** Number of times that a unit fits into the longest message. */
function countRepeats(field: Field, beginning: string, unit: string): number {
  const lengthOf = (text: string) => {
    const { target, body } = fill(field, text);
    return Buffer.byteLength(field.request.method === "GET" ? target : body);
  };
  const length = lengthOf(`${beginning}\u2603`);
  return Math.floor((field.bytesMax - length) / (lengthOf(`${beginning}\u2603${unit}`) - length));
}

function fill({ request, address, part, others }: Field, text: string) {
  const { method, path, headers, partsAs, before, after } = request;
  const given: readonly SentPart[] = [...others, { name: part, type: "string", text }];
  const inPath = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    escapeField(given.find((one) => one.name === name)?.text ?? ""),
  );
  const content = write[partsAs](given.filter(({ name }) => !path.includes(`{${name}}`)));
  const isGet = method === "GET";
  return {
    method,
    target: address + inPath + (isGet && content !== "" ? `?${content}` : ""),
    headers: Object.entries(headers).flat(),
    body: isGet ? "" : before + content + after,
  };
}
