import { autofill, autofillMarked } from "../autofill/autofill.ts";
import { logPageRequest, logPages } from "../page-log.ts";
import { configure } from "../settings.ts";

/** Sets the global `wfh`, and does what the attributes of the script tag say. */
export function startFromTag(more: Readonly<Record<string, unknown>>): void {
  const { currentScript: tag } = document;
  // An element of this name, which visitors may be able to write into the page, hides the script.
  const { src = "", dataset = {} } =
    tag instanceof HTMLScriptElement ? tag : ({} as Partial<HTMLScriptElement>);
  Object.assign(window, { wfh: { autofill, configure, logPageRequest, ...more } });
  configure({
    baseUrl: src.replace(/\/[^/]*$/, ""),
    formId: dataset["form"],
    applicationInstanceId: dataset["instance"],
  });
  if (dataset["autofill"] !== "off") autofillMarked();
  if (dataset["log"] !== "off") logPages();
}
