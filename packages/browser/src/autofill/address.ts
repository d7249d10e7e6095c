import type { Place, Places } from "../client/api-values.ts";
import { addressOf, placesPath } from "../client/request.ts";
import { pageSettings, recall, remember } from "../settings.ts";
import {
  type AddressFields,
  type Field,
  findFields,
  isEmpty,
  namesPlace,
  setField,
  valueFor,
} from "./field.ts";
import { fold, type PlaceRole } from "./names.ts";
import { Panel } from "./panel.ts";
import { compact, readPostalCode, typingPauseOf } from "./postal-code.ts";

const defaultTexts = {
  filled: "Filled in: {}",
  choose: "Places:",
  use: "Use {}",
  unknown: "No place has the code {}",
};

/** Options for filling an address. */
export interface AddressOptions {
  /** Alpha-2 code of the country where the form has no field for it, or an empty one. */
  readonly country?: string;
  /** Texts for visitors in other languages; `{}` stands for a place or a postal code. */
  readonly texts?: Partial<Readonly<typeof defaultTexts>>;
}

interface Target {
  /** Alpha-2; empty for all countries. */
  readonly country: string;
  readonly code: string;
  /** Empty without a code; the same for the same look-up. */
  readonly key: string;
}

/** State of an address that the tab remembers. */
interface Memory {
  /** Key of the look-up. */
  readonly key: string;
  /** Values that we wrote, by role; null for a field that we may not write. */
  readonly written: Readonly<Partial<Record<PlaceRole, string | null>>>;
}

/** Key of no look-up: the visitor has edited the code, so the browser did not restore it. */
const editedKey = "-";

/** Time limit of a look-up, in milliseconds. */
const timeoutMs = 10_000;
/** Pause before a look-up that has failed is repeated, in milliseconds. */
const retryMs = 2_000;
/** After so many tries for one code the server is down, or the page undoes each write. */
const triesMax = 9;

/** The fields of one address, filled by its postal code. */
export class Address {
  readonly #container: Element;
  readonly #country: string;
  readonly #texts: Readonly<typeof defaultTexts>;
  readonly #panel: Panel;
  /** Values that we wrote; null once the visitor or browser has changed one: then only if asked. */
  readonly #written = new Map<Field, string | null>();
  #isCityTyped = false;
  #isWriting = false;
  #isStopped = false;
  /** The look-up of everything below. */
  #key = "";
  /** The look-up that was last made. */
  #askedKey = "";
  #places: readonly Place[] = [];
  /** Look-ups that have failed, and writes. */
  #tries = 0;
  #timer = 0;

  constructor(container: Element, { country, texts }: AddressOptions) {
    this.#container = container;
    this.#country = country ?? container.getAttribute("data-wfh-country") ?? "";
    this.#texts = { ...defaultTexts, ...texts };
    this.#panel = new Panel(this.#texts.choose);
    this.refresh();
  }

  /** Reads the fields anew: the page may have changed them, or the visitor came back to it. */
  refresh(): void {
    if (!this.#key) this.#recall(this.#target.key);
    this.check(false);
    if (this.#tries < triesMax) this.#fill();
  }

  /** Handles an event of the page. */
  handle(event: Event): void {
    const { type, target } = event;
    if (type === "pageshow") this.refresh();
    else if (type === "reset") this.#onReset(target as Element);
    else if (type === "submit" || type === "formdata") this.#onSend(event);
    else if (!this.#isWriting) this.#onEdit(event);
  }

  #onReset(form: Element): void {
    if (!form.contains(this.#fields.postalCode ?? null)) return;
    // The event comes before the fields have their first values again.
    setTimeout(() => {
      this.#written.clear();
      // Also where the code was empty before.
      this.#key = editedKey;
      this.check(false);
    });
  }

  /** Sends no places of another code: a page may have changed the code without an event. */
  #onSend({ formData }: Partial<FormDataEvent>): void {
    for (const { name, value } of this.check(false)) formData?.set(name, value);
  }

  #onEdit({ target, type, inputType = "" }: Event & Partial<InputEvent>): void {
    const { postalCode, places } = this.#fields;
    const isFinal = type === "change";
    const [role, field] = places.find((one) => one[1] === target) ?? [];
    if (field) {
      // Leaving a field reports the typing before it, even if the visitor has since chosen a place.
      if (!isFinal || !this.#isOurs(field)) this.#written.set(field, null);
      this.#store();
      if (role === "city" && !isFinal) {
        const isFilledByBrowser = inputType === "" || inputType === "insertReplacementText";
        this.#isCityTyped = !isFilledByBrowser;
      }
    } else if (target !== postalCode) return;
    if (this.#key === "") this.#key = editedKey;
    // The page handles the event first: what React renders in between would undo the visitor's key.
    setTimeout(() => {
      this.check(isFinal);
      if (isFinal) this.#fill();
    });
  }

  /** Clears what the last look-up filled if the postal code differs; returns the cleared fields. */
  check(isFinal: boolean): readonly Field[] {
    if (this.#isStopped) return [];
    const target = this.#target;
    const { key, code, country } = target;
    const cleared: Field[] = [];
    if (key !== this.#key) {
      // The list of states may need the country, so that comes last.
      for (const [field, value] of [...this.#written].reverse()) {
        if (this.#isOurs(field)) {
          cleared.push(field);
          this.#set(field, "");
        }
        if (value !== null) this.#written.delete(field);
      }
      this.#key = key;
      this.#askedKey = "";
      this.#places = [];
      this.#tries = 0;
      this.#store();
      this.#say("");
      this.#panel.offer([], 0, "", () => {});
    }
    const pauseMs = typingPauseOf(code, country, isFinal);
    if (key !== this.#askedKey && pauseMs < Infinity && this.#canHelp) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#ask(target), pauseMs);
    }
    return cleared;
  }

  /** Leaves the fields as they are, and changes nothing in them any more. */
  stop(): void {
    this.#isStopped = true;
    this.#places = [];
    this.#panel.remove();
  }

  get #fields(): AddressFields {
    return findFields(this.#container);
  }

  get #target(): Target {
    const { postalCode, places } = this.#fields;
    const field = places.find(([role]) => role === "country")?.[1];
    const given = field && !isEmpty(field) && !this.#isOurs(field) ? field.value : this.#country;
    const country = /^[a-z]{2}$/i.test(given) ? given.toUpperCase() : "";
    const code = readPostalCode(postalCode?.value ?? "", country);
    return { country, code, key: code && given + compact(code) };
  }

  /** True when a look-up may be of use. An address that the browser has filled is left alone. */
  get #canHelp(): boolean {
    return this.#isCityTyped || this.#fields.places.some(([, field]) => this.#isFree(field));
  }

  async #ask(target: Target): Promise<void> {
    const { country, code, key } = target;
    if (this.#isStopped || key !== this.#key) return;
    this.#askedKey = key;
    const address = addressOf(pageSettings, placesPath(code, country));
    try {
      const response = await fetch(address, { signal: AbortSignal.timeout(timeoutMs) });
      const { status, places }: Places = await response.json();
      // Late: the code has changed since.
      if (this.#isStopped || key !== this.#key || key !== this.#target.key) return;
      // A problem has no places: that throws too, and the look-up is repeated.
      this.#places = [...places];
      if (status === "unknown" || status === "malformed") {
        this.#say(this.#texts.unknown.replace("{}", code));
      }
      this.#fill();
    } catch {
      this.#tries += 1;
      if (this.#tries < triesMax) setTimeout(() => this.#ask(target), retryMs);
    }
  }

  /** Fills empty fields with a place that fits the visitor's entries, and offers the others. */
  #fill(): void {
    const places = this.#places;
    const { places: fields } = this.#fields;
    const index = this.#findFitting();
    const place = places[index];
    if (place) this.#write(place);
    // An address that the browser has filled gets no advice.
    const names = place || this.#isCityTyped ? places.map(nameOf) : [];
    this.#panel.offer(names, index, this.#texts.use.replace("{}", names[0] ?? ""), (choice) => {
      // Whatever the fields hold is given up.
      for (const [, field] of fields) this.#written.set(field, field.value);
      const chosen = places[choice];
      if (chosen) this.#write(chosen);
      this.#fill();
      // The button is gone.
      if (!places[1]) fields.at(-1)?.[1].focus();
    });
  }

  /** Index of the place in the fields, else of the first that fits the visitor's entries; or -1. */
  #findFitting(): number {
    const { places: fields } = this.#fields;
    const names = (place: Place) => fields.every(([role, field]) => namesPlace(field, place, role));
    const fits = (place: Place) =>
      fields.every(
        ([role, field]) => isEmpty(field) || this.#isOurs(field) || namesPlace(field, place, role),
      );
    const held = this.#places.findIndex(names);
    return held < 0 ? this.#places.findIndex(fits) : held;
  }

  /** Writes a place into the fields that are free. */
  #write(place: Place): void {
    const { country } = this.#target;
    let hasChanged = false;
    for (const [role, field] of this.#fields.places) {
      if (!this.#isFree(field)) continue;
      const value = valueFor(field, place, role, country !== "") ?? "";
      if (fold(value) === fold(field.value) || (!value && isEmpty(field))) continue;
      hasChanged = true;
      this.#set(field, value);
      this.#written.set(field, field.value);
    }
    this.#store();
    if (!hasChanged) return;
    this.#tries += 1;
    const held = this.#heldNames(place);
    this.#say(held && this.#texts.filled.replace("{}", held));
  }

  /** Names of a place that its fields hold: a list may have no option for the state. */
  #heldNames(place: Place): string {
    const holding = this.#fields.places.filter(([role, field]) => namesPlace(field, place, role));
    const roles = holding.map(([role]) => role);
    const names = [];
    if (roles.includes("city")) names.push(place.city);
    if (roles.includes("state")) names.push(place.state.name);
    if (roles.join() === "country") names.push(place.country.name);
    return names.join(", ");
  }

  #set(field: Field, value: string): void {
    this.#isWriting = true;
    setField(field, value);
    this.#isWriting = false;
  }

  /** Returns whether a field holds what we wrote, perhaps in capitals or trimmed by the page. */
  #isOurs(field: Field): boolean {
    const written = this.#written.get(field);
    return written ? fold(written) === fold(field.value) : false;
  }

  #isFree(field: Field): boolean {
    return this.#isOurs(field) || (isEmpty(field) && this.#written.get(field) !== null);
  }

  #say(text: string): void {
    const { postalCode } = this.#fields;
    if (postalCode) this.#panel.show(text, this.#container, postalCode);
  }

  get #memoryName(): string {
    return location.pathname + this.#fields.postalCode?.name;
  }

  /** Remembers in the tab what we wrote and may not write, for a visitor who comes back. */
  #store(): void {
    const written = this.#fields.places.map(([role, field]) => [role, this.#written.get(field)]);
    remember(this.#memoryName, { key: this.#key, written: Object.fromEntries(written) });
  }

  #recall(key: string): void {
    const memory = recall<Memory>(this.#memoryName);
    if (key === "" || memory?.key !== key) return;
    for (const [role, field] of this.#fields.places) {
      const value = memory.written[role];
      if (value !== undefined && !this.#written.has(field)) this.#written.set(field, value);
    }
  }
}

function nameOf({ city, state }: Place): string {
  return `${city}, ${state.name}`;
}
