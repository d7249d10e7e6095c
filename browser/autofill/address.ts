import type { Place, Places } from "../client/api-values.ts";
import { addressOf, placesPath } from "../client/request.ts";
import { recall, remember, settings } from "../settings.ts";
import {
  type AddressFields,
  type Field,
  findFields,
  isEmpty,
  namesPlace,
  setField,
  valueFor,
} from "./field.ts";
import { fold } from "./names.ts";
import { Panel } from "./panel.ts";
import { compact, readPostalCode, typingPauseOf } from "./postal-code.ts";

const defaultTexts = {
  filled: "Filled in: {}",
  choose: "Places:",
  use: "Use {}",
  unknown: "No place has the code {}",
};

/** How an address is filled. */
export interface AddressOptions {
  /** Alpha-2 code of the country where the form has no field for it, or an empty one. */
  readonly country?: string;
  /** What visitors read, for other languages; `{}` stands for a place or a postal code. */
  readonly texts?: Partial<Readonly<typeof defaultTexts>>;
}

interface Target {
  /** Alpha-2; empty for all countries. */
  readonly country: string;
  readonly code: string;
  /** Empty without a code; the same for the same look-up. */
  readonly key: string;
}

/** The key of a look-up, and what the fields held. */
type Memory = readonly [string, Readonly<Record<string, string | null>>];

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
  /**
   * What we wrote into fields; null for a field that the visitor or the browser has changed since, which is not
   * written again without being asked.
   */
  readonly #written = new Map<Field, string | null>();
  #isCityTyped = false;
  #isWriting = false;
  /** The look-up of everything below. */
  #key = "";
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

  /** Looks at the fields as they are now: the page may have others, or the visitor comes back to it. */
  refresh(): void {
    if (!this.#key) this.#recall(this.#target.key);
    this.check(false);
    if (this.#tries < triesMax) this.#fill();
  }

  /** Handles an event of the page. */
  handle(event: Event): void {
    const { type, target } = event;
    if (type === "pageshow") this.refresh();
    else if (type === "reset") {
      // The event comes before the fields have their first values again.
      if ((target as Element).contains(this.#fields.postalCode ?? null)) setTimeout(this.#begin);
    } else if (type === "submit" || type === "formdata") {
      // A page may have changed the code without an event; what it sends must not be of another code.
      const { formData } = event as Partial<FormDataEvent>;
      for (const { name, value } of this.check(false)) formData?.set(name, value);
    } else if (!this.#isWriting) this.#onEdit(event);
  }

  #onEdit({ target, type, inputType = "" }: Event & Partial<InputEvent>): void {
    const { postalCode, places } = this.#fields;
    const isFinal = type === "change";
    const [role, field] = places.find((one) => one[1] === target) ?? [];
    if (field) {
      // A browser tells of a change by keys when the field is left, though the visitor has chosen a place since.
      if (!isFinal || !this.#isOurs(field)) this.#written.set(field, null);
      this.#store();
      // Browsers that fill a field say so by this type, or by none.
      if (role === "city" && !isFinal) this.#isCityTyped = !/^$|Repl/.test(inputType);
    } else if (target !== postalCode) return;
    // A code that the visitor types is none that the browser has restored.
    this.#key ||= "-";
    // The page handles the event first: what React renders in between would undo the visitor's key.
    setTimeout(() => {
      this.check(isFinal);
      if (isFinal) this.#fill();
    });
  }

  readonly #begin = () => {
    this.#written.clear();
    // Also where the code was empty before.
    this.#key = "-";
    this.check(false);
  };

  /**
   * Compares the postal code with the one of the last look-up. What was filled for another one is cleared at once.
   * Returns the fields that were cleared.
   */
  check(isFinal: boolean): readonly Field[] {
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

  stop(): void {
    this.check = () => [];
    this.#key = "";
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

  /** Whether a look-up may be of use. An address that the browser has filled is left alone. */
  get #canHelp(): boolean {
    return this.#isCityTyped || this.#fields.places.some(([, field]) => this.#isFree(field));
  }

  async #ask(target: Target): Promise<void> {
    const { country, code, key } = target;
    if (key !== this.#key) return;
    this.#askedKey = key;
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const response = await fetch(addressOf(settings, placesPath(code, country)), { signal });
      const { status, places }: Places = await response.json();
      // Late: the code has changed since.
      if (key !== this.#key || key !== this.#target.key) return;
      // A problem has no places: that throws too, and the look-up is repeated.
      this.#places = [...places];
      if (/known|malf/.test(status)) this.#say(this.#texts.unknown.replace("{}", code));
      this.#fill();
    } catch {
      this.#tries += 1;
      if (this.#tries < triesMax) setTimeout(() => this.#ask(target), retryMs);
    }
  }

  /** Fills what may be filled with a place that fits what the visitor has entered, and offers the others. */
  #fill(): void {
    const places = this.#places;
    const { places: fields } = this.#fields;
    const same = places.findIndex((place) =>
      fields.every(([role, field]) => namesPlace(field, place, role)),
    );
    const index =
      same < 0
        ? places.findIndex((place) =>
            fields.every(
              ([role, field]) =>
                isEmpty(field) || this.#isOurs(field) || namesPlace(field, place, role),
            ),
          )
        : same;
    const place = places[index];
    if (place) this.#write(place);
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
    this.#say(this.#texts.filled.replace("{}", nameOf(place)));
  }

  #set(field: Field, value: string): void {
    this.#isWriting = true;
    setField(field, value);
    this.#isWriting = false;
  }

  /** Whether a field holds what we wrote, perhaps in capitals or trimmed by the page. */
  #isOurs(field: Field): boolean {
    const written = this.#written.get(field);
    return !!written && fold(written) === fold(field.value);
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

  /** The tab remembers what we wrote, and what we may not write, for a visitor who comes back to the page. */
  #store(): void {
    const values = this.#fields.places.map(([role, field]) => [role, this.#written.get(field)]);
    remember(this.#memoryName, [this.#key, Object.fromEntries(values)]);
  }

  #recall(key: string): void {
    const [known, values = {}] = recall<Memory>(this.#memoryName) ?? [];
    for (const [role, field] of this.#fields.places) {
      const value = key && known === key ? values[role] : undefined;
      if (value !== undefined && !this.#written.has(field)) this.#written.set(field, value);
    }
  }
}

function nameOf({ city, state }: Place): string {
  return `${city}, ${state.name}`;
}
