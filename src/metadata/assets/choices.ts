/** Key of the choices in the browser's storage. */
const storageKey = "wfh-choices";

/** Has every row of choices start with what was chosen last, on whatever page. */
export function rememberChoices(): void {
  select(readChoices());
  document.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.type !== "radio") return;
    const others = [...radiosOf(target.name)].map(({ value }) => value);
    const kept = readChoices().filter((value) => !others.includes(value));
    const chosen = [...kept, target.value];
    select(chosen);
    try {
      localStorage.setItem(storageKey, JSON.stringify(chosen));
    } catch {
      // Without storage a choice lasts as long as its page.
    }
  });
}

/** Rows that offer the same value choose it together: the binding of the form and that of the messages. */
function select(values: readonly string[]): void {
  for (const radio of radiosOf()) if (values.includes(radio.value)) radio.checked = true;
}

function radiosOf(name?: string): NodeListOf<HTMLInputElement> {
  const own = name === undefined ? "" : `[name="${CSS.escape(name)}"]`;
  return document.querySelectorAll<HTMLInputElement>(`.choices input${own}`);
}

function readChoices(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? "[]");
    return Array.isArray(stored) ? stored.map(String) : [];
  } catch {
    return [];
  }
}
