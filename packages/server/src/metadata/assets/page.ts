import { rememberChoices } from "./choices.ts";
import { highlightPage } from "./highlight.ts";
import { enableTestForm } from "./test-form.ts";

/** For how long a button says that it has copied, in milliseconds. */
const saidMs = 2000;

highlightPage();
rememberChoices();
enableCopyButtons();
enableTestForm();

/** Shows the buttons that copy a code block; without scripts they stay hidden. */
function enableCopyButtons(): void {
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element && event.target.closest("button[data-copy]");
    if (button instanceof HTMLButtonElement) void copyFor(button);
  });
  for (const button of document.querySelectorAll<HTMLElement>("button[data-copy]")) {
    button.hidden = false;
  }
}

async function copyFor(button: HTMLButtonElement): Promise<void> {
  const code = document.getElementById(button.dataset["copy"] ?? "");
  const status = document.getElementById("spoken");
  if (code === null || status === null) return;
  const said = (await copy(code)) ? "Copied" : "Press Ctrl+C";
  status.textContent = `${said}: ${button.ariaLabel?.replace(/^Copy /, "")}`;
  button.textContent = said;
  setTimeout(() => {
    button.textContent = "Copy";
    status.textContent = "";
  }, saidMs);
}

/**
 * Copies the text of an element. Over plain HTTP browsers give pages no clipboard, except on the
 * same machine; there the text is selected and copied.
 */
async function copy(code: Element): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(code.textContent ?? "");
    return true;
  } catch {
    // Absent over plain HTTP, or refused by the browser.
    getSelection()?.selectAllChildren(code);
    return document.execCommand("copy");
  }
}
