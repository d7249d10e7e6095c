import type { Place, Places, Suggestion } from "../client/api-values.ts";
import { addressOf, placesPath } from "../client/request.ts";
import { pageSettings, recall, remember } from "../settings.ts";
import {
  blankOf,
  type Field,
  fallbackFor,
  findFields,
  heldNames,
  holds,
  isEmpty,
  isTyped,
  isUnchosen,
  namesPlace,
  type Role,
  setField,
  valueFor,
} from "./field.ts";
import type { NamedPlace, PlaceRole } from "./names.ts";
import { Panel } from "./panel.ts";
import { compact, readPostalCode, typingPauseOf } from "./postal-code.ts";

const defaultTexts = {
  filled: "Filled in: {}",
  differs: "{} is {}",
  choose: "Places:",
  use: "Use {}",
  unknown: "No place has the code {}",
  suggestions: "Suggestions",
};

/** Options for filling an address. */
export interface AddressOptions {
  /** Alpha-2 code of the country where the form has no field for it, or an empty one. */
  readonly country?: string;
  /** Texts for visitors in other languages; `{}` stands for a postal code or a place. */
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
  readonly written: Readonly<Partial<Record<Role, string | null>>>;
  /** The city that was chosen, and what came with it; not there in memories of older scripts. */
  readonly city?: string;
  readonly chosen?: Readonly<Partial<Record<Role, string>>>;
}

/** Key of no look-up: the visitor has edited the code, so the browser did not restore it. */
const editedKey = "-";

/** Time limit of a look-up, in milliseconds. */
const timeoutMs = 10_000;
/** Pause before a look-up that has failed is repeated, in milliseconds. */
const retryMs = 2_000;
/** After so many tries for one code the server is down, or the page undoes each write. */
const triesMax = 9;

/** The fields of one address, filled by its postal code. Who owns a field: decision 0059. */
export class Address {
  readonly texts: Readonly<typeof defaultTexts>;
  readonly #container: Element;
  readonly #country: string;
  readonly #panel: Panel;
  readonly #stopped = new AbortController();
  /** Values that we wrote; null once the visitor or browser has changed one: then only if asked. */
  readonly #written = new Map<Field, string | null>();
  /** The city that the visitor chose from the suggestions; empty without one. */
  #city = "";
  /** Values that we wrote for it. */
  readonly #chosen = new Map<Field, string>();
  #isWriting = false;
  /** True once the visitor has typed: an address that the browser has filled gets no advice. */
  #isTyped = false;
  /** The look-up of everything below. */
  #key = "";
  /** The look-up that was last made. */
  #askedKey = "";
  #places: readonly Place[] = [];
  /** Announcement of what was found or filled. */
  #message = "";
  /** Look-ups that have failed, and writes. */
  #tries = 0;
  #timer = 0;

  constructor(container: Element, { country, texts }: AddressOptions) {
    this.#container = container;
    this.#country = country ?? container.getAttribute("data-wfh-country") ?? "";
    this.texts = { ...defaultTexts, ...texts };
    this.#panel = new Panel(this.texts.choose);
    this.refresh();
  }

  /** Aborted once nothing may change the fields any more. */
  get signal(): AbortSignal {
    return this.#stopped.signal;
  }

  /** All fields with their roles, in the order of filling. */
  get fields(): readonly (readonly [Role, Field])[] {
    return findFields(this.#container);
  }

  field(role: Role): Field | undefined {
    return this.fields.find((one) => one[0] === role)?.[1];
  }

  /** The fields that are filled from a place. */
  get #placeFields(): readonly (readonly [PlaceRole, Field])[] {
    return this.fields.filter((one): one is [PlaceRole, Field] => one[0] !== "postal-code");
  }

  /** Reads the fields anew: the page may have changed them, or the visitor came back to it. */
  refresh(): void {
    if (!this.#key) this.#recall(this.target.key);
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
    if (!form.contains(this.field("postal-code") ?? null)) return;
    // The event comes before the fields have their first values again.
    setTimeout(() => {
      this.#written.clear();
      this.#chosen.clear();
      // Also where the code was empty before.
      this.#key = editedKey;
      this.check(false);
    });
  }

  /** Sends no places of another code: a page may have changed the code without an event. */
  #onSend({ formData }: Partial<FormDataEvent>): void {
    for (const { name, value } of this.check(false)) formData?.set(name, value);
  }

  #onEdit(event: Event): void {
    const isFinal = event.type === "change";
    const [role, field] = this.fields.find((one) => one[1] === event.target) ?? [];
    if (!field) return;
    // Leaving a field reports the typing before it, even if the visitor has since chosen a place.
    if (!isFinal || !this.#isOurs(field)) {
      this.#chosen.delete(field);
      if (role !== "postal-code") this.#written.set(field, null);
    }
    this.#store();
    if (role !== "postal-code" && isTyped(event)) this.#isTyped = true;
    else if (role === "city" && !isFinal) this.#isTyped = false;
    if (this.#key === "") this.#key = editedKey;
    // The page handles the event first: what React renders in between would undo the visitor's key.
    setTimeout(() => {
      this.check(isFinal);
      if (isFinal) this.#fill();
    });
  }

  /** Clears what was filled for another code, or came with another city; returns the fields. */
  check(isFinal: boolean): readonly Field[] {
    if (this.signal.aborted) return [];
    const city = this.field("city");
    const isChosen = city && holds(city, this.#city);
    const cleared = isChosen ? [] : this.#clear(this.#chosen);
    const target = this.target;
    const { key, code, country } = target;
    if (key !== this.#key) {
      cleared.push(...this.#clear(this.#written));
      this.#key = key;
      this.#askedKey = "";
      this.#places = [];
      this.#tries = 0;
      this.#say("");
      this.#panel.offer([], 0, "", () => {});
      this.#store();
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
    this.#stopped.abort();
    this.#places = [];
    this.#panel.remove();
  }

  /** Takes a suggestion that the visitor has chosen; their entries in other fields are kept. */
  choose(chosenIn: Field, place: Suggestion): void {
    const isCity = chosenIn === this.field("city");
    this.#isTyped = true;
    if (isCity) this.#clear(this.#chosen);
    for (const [role, field] of isCity ? this.fields : []) {
      const value = role === "postal-code" ? place.postalCode : valueFor(field, place, role, true);
      if (!value || field === chosenIn || !this.isOpen(field)) continue;
      this.#set(field, value);
      this.#chosen.set(field, field.value);
      this.#written.delete(field);
    }
    this.#set(chosenIn, (isCity ? place.city : place.postalCode) ?? "");
    if (isCity) this.#city = chosenIn.value;
    this.check(true);
    this.#store();
    // The look-up of a code announces what it fills.
    if (isCity) this.#announce(place);
  }

  /** The look-up of what the fields hold. */
  get target(): Target {
    const field = this.field("country");
    const shown = field && !isEmpty(field) && !this.#isOurs(field) ? field.value : "";
    // A first country that no visitor has chosen counts after that of the form.
    const given = (field && !this.isOpen(field) && shown) || this.#country || shown;
    const country = /^[a-z]{2}$/i.test(given) ? given.toUpperCase() : "";
    const code = readPostalCode(this.field("postal-code")?.value ?? "", country);
    return { country, code, key: code && given + compact(code) };
  }

  /** True when a look-up may be of use. An address that the browser has filled is left alone. */
  get #canHelp(): boolean {
    return this.#isTyped || this.#placeFields.some(([, field]) => this.#isFree(field));
  }

  async #ask(target: Target): Promise<void> {
    const { country, code, key } = target;
    if (this.signal.aborted || key !== this.#key) return;
    this.#askedKey = key;
    const address = addressOf(pageSettings, placesPath(code, country));
    try {
      const response = await fetch(address, { signal: AbortSignal.timeout(timeoutMs) });
      const { status, places }: Places = await response.json();
      // Late: the code has changed since.
      if (this.signal.aborted || key !== this.#key || key !== this.target.key) return;
      // A problem has no places: that throws too, and the look-up is repeated.
      this.#places = [...places];
      if (status === "unknown" || status === "malformed") {
        this.#say(this.texts.unknown.replace("{}", code));
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
    if (places.length === 0) return;
    const index = this.#findFitting();
    const fitting = places[index];
    // Where none fits, the code still decides what all of its places have.
    this.#write(fitting ? [fitting] : places);
    const offered = fitting || this.#isTyped ? places : [];
    const names = offered.map(({ city, state }) => `${city}, ${state.name}`);
    const advice = this.texts.differs.replace("{}", this.target.code);
    const isDifferent = !fitting && names.length > 0;
    this.#show(isDifferent ? advice.replace("{}", names.join(" / ")) : this.#message);
    const use = this.texts.use.replace("{}", names[0] ?? "");
    this.#panel.offer(names, index, use, (choice) => {
      // Whatever the fields hold is given up.
      this.#chosen.clear();
      for (const [, field] of this.#placeFields) this.#written.set(field, field.value);
      const chosen = places[choice];
      if (chosen) this.#write([chosen]);
      this.#fill();
      // The button is gone.
      if (!places[1]) this.#placeFields.at(-1)?.[1].focus();
    });
  }

  /** Index of the place in the fields, else of the first that fits the visitor's entries; or -1. */
  #findFitting(): number {
    const all = this.#placeFields;
    const find = (fields: typeof all) =>
      this.#places.findIndex((place) =>
        fields.every(([role, field]) => namesPlace(field, place, role)),
      );
    const held = find(all);
    return held < 0 ? find(all.filter(([, field]) => !this.isOpen(field))) : held;
  }

  /** Writes what all of some places have into the fields that are free. */
  #write(places: readonly Place[]): void {
    const { country } = this.target;
    let hasChanged = false;
    for (const [role, field] of this.#placeFields) {
      const [value = "", ...others] = places.map(
        (place) => valueFor(field, place, role, country !== "") ?? fallbackFor(field, place, role),
      );
      const isDecided = others.every((other) => other === value);
      if (!isDecided || !this.#isFree(field)) continue;
      if (field.value === value || holds(field, value)) continue;
      hasChanged = true;
      this.#set(field, value);
      this.#chosen.delete(field);
      this.#written.set(field, field.value);
    }
    this.#store();
    if (!hasChanged) return;
    this.#tries += 1;
    if (places[0]) this.#announce(places[0]);
  }

  #announce(place: NamedPlace): void {
    const names = heldNames(this.#placeFields, place);
    this.#say(names && this.texts.filled.replace("{}", names));
  }

  /** Says what was found or filled; advice takes its place for as long as there is some. */
  #say(text: string): void {
    this.#message = text;
    this.#show(text);
  }

  #show(text: string): void {
    const postalCode = this.field("postal-code");
    if (postalCode) this.#panel.show(text, this.#container, postalCode);
  }

  #clear(values: Map<Field, string | null>): Field[] {
    const cleared = [...values.keys()].filter((field) => holds(field, values.get(field)));
    for (const [field, value] of values) if (value !== null) values.delete(field);
    // The list of states may need the country, so that comes last.
    for (const field of [...cleared].reverse()) this.#set(field, blankOf(field));
    return cleared;
  }

  #set(field: Field, value: string): void {
    this.#isWriting = true;
    setField(field, value);
    this.#isWriting = false;
  }

  #isOurs(field: Field): boolean {
    return holds(field, this.#written.get(field)) || holds(field, this.#chosen.get(field));
  }

  /** Returns whether a field holds nothing of the visitor, the browser or the page. */
  isOpen(field: Field): boolean {
    const isNew = isUnchosen(field) && !this.#written.has(field);
    return isNew || isEmpty(field) || this.#isOurs(field);
  }

  /** Returns whether we may write to a field without being asked. */
  #isFree(field: Field): boolean {
    return this.isOpen(field) && this.#written.get(field) !== null;
  }

  get #memoryName(): string {
    return location.pathname + this.field("postal-code")?.name;
  }

  /** Remembers in the tab what we wrote and may not write, for a visitor who comes back. */
  #store(): void {
    const byRole = (values: ReadonlyMap<Field, string | null>) =>
      Object.fromEntries(this.fields.map(([role, field]) => [role, values.get(field)]));
    const written = byRole(this.#written);
    const chosen = byRole(this.#chosen);
    remember(this.#memoryName, { key: this.#key, city: this.#city, written, chosen });
  }

  /** Recalls what the tab remembers of the same look-up, and of the same city. */
  #recall(key: string): void {
    const memory = recall<Memory>(this.#memoryName);
    const city = this.field("city");
    if (!memory) return;
    const isSame = city && holds(city, memory.city);
    if (isSame) this.#city = city.value;
    for (const [role, field] of this.fields) {
      const written = memory.written[role];
      const isKnown = written === undefined || this.#written.has(field);
      if (key !== "" && key === memory.key && !isKnown) this.#written.set(field, written);
      const chosen = memory.chosen?.[role];
      if (isSame && chosen) this.#chosen.set(field, chosen);
    }
  }
}
