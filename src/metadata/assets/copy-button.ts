import { highlightScript } from "./highlight.ts";

/** Buttons that copy the code they stand beside. Expects nothing; pages do without where scripts do not run. */
const copyScript = `
// Over plain HTTP browsers give pages no clipboard, except on their own machine; there the text is selected and copied.
async function copy(code) {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(code.textContent);
      return true;
    } catch {
      // The browser may refuse; the selection still works then.
    }
  }
  const range = document.createRange();
  range.selectNodeContents(code);
  const selection = getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
  return document.execCommand("copy");
}

const spoken = document.getElementById("spoken");

// For how long a button says that it has copied, in milliseconds.
const saidMs = 2000;

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-copy]");
  if (button === null) return;
  const code = document.getElementById(button.dataset.copy);
  const said = (await copy(code)) ? "Copied" : "Press Ctrl+C";
  spoken.textContent = said + ": " + button.getAttribute("aria-label").replace(/^Copy /, "");
  button.textContent = said;
  setTimeout(() => {
    button.textContent = "Copy";
    spoken.textContent = "";
  }, saidMs);
});
for (const button of document.querySelectorAll("button[data-copy]")) button.hidden = false;
`;

/**
 * Joins scripts to one that keeps its names to itself.
 *
 * @throws {Error} when a text of them would end the script element.
 */
export function joinScripts(...scripts: readonly string[]): string {
  const joined = `"use strict";(() => {${[highlightScript, copyScript, ...scripts].join("")}})();`;
  if (/<\/script|<script/i.test(joined)) throw new Error("A script would end too soon");
  return joined.replaceAll(/\n\s*(?:\/\/[^\n]*)?(?=\n)/g, "").replaceAll(/\n\s+/g, "\n");
}
