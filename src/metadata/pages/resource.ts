import type { Resource } from "../../contract/operation.ts";
import { html, type Markup } from "../markup.ts";

/** Method and path of a resource; the path breaks at its slashes alone. */
export function renderResource(apiPath: string, { method, path }: Resource): Markup {
  const segments = path.split("/").map((segment) => html`<wbr>/${segment}`);
  return html`<p class="endpoint"><strong>${method}</strong> <code>${apiPath}${segments}</code></p>`;
}
