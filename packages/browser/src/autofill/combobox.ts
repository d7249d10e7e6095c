import type { Suggestion } from "../client/api-values.ts";
import type { Address } from "./address.ts";
import { type Field, isTyped, stateTextOf } from "./field.ts";
import { compact } from "./postal-code.ts";

/** Pause from the last key to a search, in milliseconds. */
const typingPauseMs = 150;
/** Fewest characters to search for. */
const shortestText = 2;

/** Added to what browsers give a popover; every rule of the page is stronger. */
const style = `:where(.wfh-suggestions) { border: 1px solid GrayText; border-radius: 6px;
  box-shadow: 0 4px 12px #0003; inset: auto; margin: 4px 0; max-height: 45vh; position: absolute }
:where(.wfh-suggestions > *) { cursor: pointer; padding: .5em }
:where(.wfh-suggestions > :hover) { background: #8883 }
:where(.wfh-suggestions > [aria-selected]) { background: Highlight; color: HighlightText }`;

let count = 0;

/**
 * Suggests places for the city and the postal code of an address: an editable combobox with list
 * autocomplete of the ARIA Authoring Practices Guide.
 */
export class Combobox {
  readonly #container: Element;
  readonly #address: Address;
  readonly #list = document.createElement("div");
  /** The field that has the list, open or not. */
  #field: Field | undefined;
  #places: readonly Suggestion[] = [];
  /** Index of the active option; -1 while the text of the field is active. */
  #active = -1;
  /** The search whose response is waited for. */
  #search: { readonly url: string } | undefined;
  #timer = 0;

  constructor(container: Element, address: Address) {
    this.#container = container;
    this.#address = address;
    const list = this.#list;
    const { signal } = address;
    // Browsers before 2024 have no top layer, in which nothing hides a list.
    if (signal.aborted || !list.togglePopover) return;
    if (count === 0) {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(style);
      document.adoptedStyleSheets.push(sheet);
    }
    count += 1;
    list.id = `wfh-suggestions-${count}`;
    list.className = "wfh-suggestions";
    list.role = "listbox";
    list.ariaLabel = address.texts.suggestions;
    list.popover = "manual";
    // The field keeps the focus.
    list.onmousedown = (event) => event.preventDefault();
    list.onclick = ({ target }) => this.#choose([...list.children].indexOf(target as Element));
    const options = { capture: true, signal };
    for (const type of ["focusin", "focusout", "input", "keydown"]) {
      container.addEventListener(type, (event) => this.#handle(event), options);
    }
    for (const type of ["scroll", "resize"]) addEventListener(type, () => this.#move(), options);
    signal.addEventListener("abort", () => {
      this.#close();
      list.remove();
      this.#mark(null);
    });
    this.#mark("combobox");
  }

  /** Fields that get suggestions. */
  get #fields(): readonly Field[] {
    const fields = [this.#address.field("city"), this.#address.field("postal-code")];
    return fields.filter((field): field is Field => !!field && !("options" in field));
  }

  /** Makes the fields comboboxes, or plain ones again. */
  #mark(role: "combobox" | null): void {
    for (const field of this.#fields) {
      field.role = role;
      field.ariaAutoComplete = role && "list";
      field.ariaExpanded = role && "false";
      if (role) field.setAttribute("aria-controls", this.#list.id);
      else field.removeAttribute("aria-controls");
    }
  }

  #handle(event: Event): void {
    const field = this.#fields.find((one) => one === event.target);
    if (!field) return;
    // A framework may have rendered it since.
    if (event.type === "focusin") this.#mark("combobox");
    else if (event.type === "keydown") this.#onKey(event as KeyboardEvent, field);
    else if (event.type === "input" && isTyped(event)) {
      this.#activate(-1);
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#ask(field), typingPauseMs);
    } else this.#close();
  }

  #onKey(event: KeyboardEvent, field: Field): void {
    const { key, isComposing } = event;
    const { length } = this.#places;
    const active = this.#active;
    const isArrow = /^Arrow(?:Down|Up)$/.test(key);
    if (isComposing) return;
    if (isArrow && length === 0) void this.#ask(field);
    else if (key === "ArrowDown") this.#activate((active + 1) % length);
    else if (key === "ArrowUp") this.#activate((active > 0 ? active : length) - 1);
    else if (key === "Escape") this.#close();
    else if (key === "Enter" || key === "Tab") this.#choose(active);
    else if (/^(?:Home|End|Arrow)/.test(key)) this.#activate(-1);
    // The page neither sends the form nor closes a dialog.
    if (isArrow || (key === "Escape" && length > 0) || (key === "Enter" && active >= 0)) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  /** Address of the search for the text of a field; empty where there is too little of it. */
  #urlOf(field: Field): string {
    const q = field.value.trim();
    if (q.length < shortestText) return "";
    const { country } = this.#address.target;
    const state = this.#address.field("state");
    const query = new URLSearchParams({ q });
    if (country) query.set("country", country);
    if (state && !this.#address.isOpen(state)) query.set("state", stateTextOf(state));
    return `${new URL("api/v1/places/search", import.meta.url)}?${query}`;
  }

  async #ask(field: Field): Promise<void> {
    const url = this.#urlOf(field);
    const search = { url };
    this.#search = search;
    let found: readonly Suggestion[] = [];
    try {
      const isWhole = ({ state, country }: Suggestion) => state && country;
      if (url) found = (await (await fetch(url)).json()).places.filter(isWhole);
    } catch {
      // Without the server, or with other JSON than its own, the field is a plain one.
    }
    // Late: the visitor has typed on, chosen, or left the field.
    if (search === this.#search && url === this.#urlOf(field)) this.#show(field, found);
  }

  #show(field: Field, found: readonly Suggestion[]): void {
    const isCode = field === this.#address.field("postal-code");
    const typed = compact(field.value).toUpperCase();
    const places = isCode
      ? found.filter(({ postalCode }) => postalCode && postalCode !== typed)
      : found;
    if (places.length === 0) {
      this.#close();
      return;
    }
    this.#field = field;
    this.#places = places;
    const countries = new Set(places.map(({ country }) => country.code));
    const options = places.map(({ postalCode, city, state, country }, i) => {
      const names = [postalCode ? `${postalCode} ${city}` : city, state.name];
      if (countries.size > 1) names.push(country.name);
      const option = document.createElement("div");
      option.id = `${this.#list.id}-${i}`;
      option.role = "option";
      option.textContent = names.join(", ");
      return option;
    });
    this.#list.replaceChildren(...options);
    // Not before, since a framework may render the page anew.
    if (!this.#list.isConnected) this.#container.append(this.#list);
    this.#list.togglePopover(true);
    field.ariaExpanded = "true";
    this.#move();
  }

  /** Moves the list below its field: the top layer has the coordinates of the whole page. */
  #move(): void {
    if (!this.#field) return;
    const { left, bottom, width } = this.#field.getBoundingClientRect();
    const { style } = this.#list;
    style.left = `${left + scrollX}px`;
    style.top = `${bottom + scrollY}px`;
    style.minWidth = `${width}px`;
  }

  #activate(index: number): void {
    const { children } = this.#list;
    children[this.#active]?.removeAttribute("aria-selected");
    this.#active = index;
    const option = children[index];
    if (option) {
      option.ariaSelected = "true";
      option.scrollIntoView({ block: "nearest" });
      this.#field?.setAttribute("aria-activedescendant", option.id);
    } else this.#field?.removeAttribute("aria-activedescendant");
  }

  #choose(index: number): void {
    const place = this.#places[index];
    const field = this.#field;
    this.#close();
    if (place && field) this.#address.choose(field, place);
  }

  #close(): void {
    clearTimeout(this.#timer);
    this.#activate(-1);
    this.#search = undefined;
    this.#places = [];
    if (!this.#field) return;
    this.#list.hidePopover();
    this.#field.ariaExpanded = "false";
    this.#field = undefined;
  }
}
