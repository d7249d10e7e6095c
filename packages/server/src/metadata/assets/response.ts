import { languageOf } from "../samples/indent.ts";
import { type CallOutcome, describeOutcome, valuesOf } from "../samples/outcome.ts";
import type { TestFormData } from "../samples/request.ts";

/** Meaning of a response, by its status and body. */
export function callOutcomeOf(
  data: TestFormData,
  isOk: boolean,
  contentType: string,
  text: string,
): CallOutcome {
  const language = languageOf(contentType);
  if (!isOk || language === "html") {
    const reason = faultReason(language, text) || "The response gives no reason.";
    return { words: "Failed", kind: "failed", reason };
  }
  const isTable = data.target.binding === "rest" && /^text\/csv/.test(contentType);
  const values = isTable ? new Map<string, string>() : resultValues(data, language, text);
  if (values === null) {
    return { words: "Not a response of this service", kind: "notdone", reason: "" };
  }
  return describeOutcome(data.outcome, values);
}

/** The message of a fault or an error, without its wrapping. */
function faultReason(language: string, text: string): string {
  if (language === "html") {
    return "The response is a web page, which this service never sends. A proxy may have sent it.";
  }
  if (language === "xml") {
    const fault = new DOMParser().parseFromString(text, "text/xml");
    const find = (name: string) => fault.getElementsByTagNameNS("*", name)[0]?.textContent;
    return find("faultstring") ?? find("Text") ?? "";
  }
  if (language !== "json") return text.trim();
  const { Message, detail, errors = [] } = readJson(text) ?? {};
  // What is wrong with single fields (RFC 9457).
  const problems = (errors as { detail: string }[]).map((one) => one.detail).join(" ");
  const reason = Message ?? (problems || detail);
  return typeof reason === "string" ? reason : "";
}

/** Values of a result by name, with all digits; null for a response of another service. */
function resultValues(
  data: TestFormData,
  language: string,
  text: string,
): ReadonlyMap<string, string> | null {
  if (language === "xml") return xmlValues(data, text);
  if (language !== "json") return text === "" ? new Map() : null;
  const response = readJson(text);
  const isOurs = response !== undefined && (data.requests["rest"] || Object.hasOwn(response, "d"));
  return isOurs ? valuesOf(response) : null;
}

/** An object or a list in JSON; undefined for anything else. */
function readJson(text: string): Readonly<Record<string, unknown>> | undefined {
  // A reviver gets the source text of a number, which JSON.parse alone would round beyond 2^53.
  const keepDigits = (_: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === "number" ? (context?.source ?? String(value)) : value;
  try {
    const value: unknown = JSON.parse(text, keepDigits);
    return value instanceof Object ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

const xsi = "http://www.w3.org/2001/XMLSchema-instance";

function xmlValues({ result }: TestFormData, text: string): ReadonlyMap<string, string> | null {
  const root = new DOMParser().parseFromString(text, "text/xml").documentElement;
  if (root.localName !== "Envelope" && root.localName !== result) return null;
  const values = new Map<string, string>();
  for (const element of root.getElementsByTagName("*")) {
    const isValue = element.childElementCount === 0 && !element.hasAttributeNS(xsi, "nil");
    if (isValue && !values.has(element.localName)) {
      values.set(element.localName, element.textContent ?? "");
    }
  }
  return values;
}
