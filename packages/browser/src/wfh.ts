import { autofillMarked } from "./autofill/autofill.ts";
import { logPages } from "./page-log.ts";
import { configure, type Settings } from "./settings.ts";

export { type Autofill, type AutofillOptions, autofill } from "./autofill/autofill.ts";
export type * from "./client/api-values.ts";
export { logPageRequest } from "./page-log.ts";
export { configure, type Settings } from "./settings.ts";

/** Options of a page's start. */
export interface StartOptions extends Partial<Settings> {
  /** Fills marked forms. Default true. */
  readonly autofill?: boolean;
  /** Logs the page. Default true. */
  readonly log?: boolean;
}

/**
 * Does what the script tag does: fills marked forms and logs the page.
 *
 * @example
 * start({ baseUrl: "https://forms.example.org", formId: "12", applicationInstanceId: "3" });
 */
export function start({ autofill = true, log = true, ...more }: StartOptions = {}): void {
  configure(more);
  if (autofill) autofillMarked();
  if (log) logPages();
}
