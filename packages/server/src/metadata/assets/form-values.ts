import { writeSamples } from "../samples/code-samples.ts";
import { languageOf } from "../samples/indent.ts";
import {
  fillRequest,
  formatRequest,
  type SentPart,
  type TestFormData,
  textOfMessage,
} from "../samples/request.ts";
import type { MessageFormat } from "../samples/sample-target.ts";
import { showCode, showText } from "./highlight.ts";

/** Placeholder for a password wherever it would be visible. */
const dots = "•".repeat(8);

type Field = HTMLInputElement | HTMLSelectElement;

/** Values to send: of optional fields only filled ones. With `isMasked` passwords are dots. */
export function readFields(
  form: HTMLFormElement,
  { parts }: TestFormData,
  isMasked: boolean,
): readonly SentPart[] {
  return parts.flatMap(({ name, type, optional }) => {
    const field = form.elements.namedItem(name) as Field;
    if (optional && field.value === "") return [];
    const isHidden = isMasked && field.type === "password" && field.value !== "";
    return [{ name, type, text: isHidden ? dots : field.value }];
  });
}

/** The binding for samples, messages and the form; an operation of REST has no others. */
export function chosenBinding(): MessageFormat {
  const chosen = document.querySelector<HTMLInputElement>("input[name=binding]:checked");
  return (chosen?.value ?? "rest") as MessageFormat;
}

/** Keeps samples, messages and the page's address in step with the binding and the form. */
export function followValues(form: HTMLFormElement | null, data: TestFormData): void {
  const show = () => showSamples(form, data);
  document.querySelector(".binding")?.addEventListener("change", show);
  const start = fieldsOf(form).map(({ value }) => value);
  const readAddress = () => {
    const values = new URLSearchParams(location.hash.slice(1));
    for (const field of fieldsOf(form)) {
      const value = values.get(field.name);
      if (value !== null && field.type !== "password") field.value = value;
    }
    show();
  };
  form?.addEventListener("input", () => {
    writeAddress(form, start);
    show();
  });
  addEventListener("hashchange", readAddress);
  readAddress();
}

/** The fields of a form; none where the reader may not call. */
function fieldsOf(form: HTMLFormElement | null): readonly Field[] {
  return [...(form?.querySelectorAll<Field>("input[id^=field-], select") ?? [])];
}

/** Puts values, without passwords, into the fragment, which no request carries into a log. */
function writeAddress(form: HTMLFormElement | null, start: readonly string[]): void {
  const changed = fieldsOf(form).filter(
    ({ value, type }, index) => value !== start[index] && type !== "password",
  );
  const values = new URLSearchParams(changed.map(({ name, value }) => [name, value]));
  const fragment = changed.length === 0 ? "" : `#${values}`;
  history.replaceState(null, "", `${location.pathname}${location.search}${fragment}`);
}

/** Shows samples with the values of the form, or with the example while it is empty. */
function showSamples(form: HTMLFormElement | null, data: TestFormData): void {
  const { target, requests, example } = data;
  const typed = form === null ? [] : readFields(form, data, true);
  const sent = typed.some(({ text }) => text !== "") ? typed : example;
  const binding = chosenBinding();
  const call = { ...target, binding, description: requests[binding] ?? target.description };
  for (const [index, { code }] of writeSamples(call, sent).entries()) {
    showText(`sample-${index}`, code);
  }
  for (const [name, description] of Object.entries(requests)) {
    const request = fillRequest(description, target.address, sent);
    const length = String(new TextEncoder().encode(request.body ?? "").length);
    const message = textOfMessage(formatRequest(request, target.address, length));
    showText(`${name}-example-request`, message);
  }
  const response = document.getElementById(`${binding}-example-response`)?.textContent ?? "";
  const [head = "", body = "(no body)"] = response.split("\n\n");
  const shown = document.getElementById("response-body");
  // A response that was received stays.
  if (shown && document.getElementById("response")?.hidden) {
    showCode(shown, languageOf(head), body);
  }
}
