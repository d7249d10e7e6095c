/** Display beside a postal code: an announcement, and the places to choose from. */
export class Panel {
  readonly #root = document.createElement("div");
  readonly #status = document.createElement("div");
  readonly #label = document.createElement("label");
  readonly #list = document.createElement("select");
  readonly #button = document.createElement("button");

  constructor(choose: string) {
    this.#root.className = "wfh-panel";
    this.#status.role = "status";
    this.#button.type = "button";
    this.#label.append(choose, " ", this.#list);
    this.#root.append(this.#status, this.#label, this.#button);
  }

  /** Shows a text, which screen readers read out, in its element or after the field's label. */
  show(text: string, container: Element, field: Element): void {
    const slot = container.querySelector('[data-wfh="status"]');
    if (!this.#root.isConnected) {
      if (slot) slot.append(this.#root);
      else (field.closest("label") ?? field).after(this.#root);
    }
    // The same text is not read out again.
    if (this.#status.textContent !== text) this.#status.textContent = text;
  }

  /**
   * Shows a list of several places, or a button for a single one that is not the current one.
   *
   * @param current index; -1 when the fields hold something else.
   */
  offer(
    names: readonly string[],
    current: number,
    use: string,
    onChoice: (index: number) => void,
  ): void {
    show(this.#label, names.length > 1);
    // A list in use stays.
    if (this.#list.textContent !== names.join("")) {
      this.#list.replaceChildren(...names.map((name) => new Option(name)));
    }
    this.#list.selectedIndex = current;
    this.#list.onchange = () => onChoice(this.#list.selectedIndex);
    show(this.#button, names.length === 1 && current < 0);
    this.#button.textContent = use;
    this.#button.onclick = () => onChoice(0);
  }

  remove(): void {
    this.#root.remove();
  }
}

/** The styles of a page often overrule the attribute `hidden`. */
function show(element: HTMLElement, isShown: boolean): void {
  element.style.display = isShown ? "" : "none";
}
