/** Key of the choices in the browser's storage. */
const storageKey = "wfh-choices";

/** Has every row of choices start with what was chosen last, on whatever page. */
export function rememberChoices(): void {
  const values = readChoices();
  for (const radio of document.querySelectorAll<HTMLInputElement>(".choices input")) {
    if (values.includes(radio.value)) radio.checked = true;
  }
  document.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.type !== "radio") return;
    const row = target.closest(".choices")?.querySelectorAll("input") ?? [];
    const others = [...row].map(({ value }) => value);
    const kept = readChoices().filter((value) => !others.includes(value));
    try {
      localStorage.setItem(storageKey, JSON.stringify([...kept, target.value]));
    } catch {
      // Without storage a choice lasts as long as its page.
    }
  });
}

function readChoices(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? "[]");
    return Array.isArray(stored) ? stored.map(String) : [];
  } catch {
    return [];
  }
}
