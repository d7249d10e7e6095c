import { addressOf } from "../client/request.ts";
import { pageSettings } from "../settings.ts";
import { Address, type AddressOptions } from "./address.ts";
import type { Role } from "./field.ts";

/** Options for filling a form. */
export interface AutofillOptions extends AddressOptions {
  /** Selectors of fields, where they have neither `data-wfh` nor `autocomplete`. */
  readonly fields?: Partial<Readonly<Record<Role, string>>>;
  /** Suggests places in city and postal code. Default: as the attribute `data-wfh-suggest` says. */
  readonly suggest?: boolean;
}

/** A form that is being filled. */
export interface Autofill {
  /** Leaves the form as it is, and changes nothing in it any more. */
  stop(): void;
}

const addresses = new Map<Element, Address>();
let observer: MutationObserver | undefined;
let marked = "";

/**
 * Fills city, state and country when the visitor enters a postal code. Keeps existing entries.
 *
 * @param container a form, or any element around the fields of an address.
 * @example
 * const delivery = document.querySelector("#delivery");
 * const filling = delivery && autofill(delivery, { country: "US" });
 */
export function autofill(container: Element, options: AutofillOptions = {}): Autofill {
  const stop = () => {
    addresses.get(container)?.stop();
    addresses.delete(container);
  };
  stop();
  for (const [role, selector] of Object.entries(options.fields ?? {})) {
    container.querySelector(selector)?.setAttribute("data-wfh", role);
  }
  const address = new Address(container, options);
  addresses.set(container, address);
  if (options.suggest ?? container.hasAttribute("data-wfh-suggest")) {
    void suggest(container, address);
  }
  observe();
  return { stop };
}

/** Loads suggestions, a file of their own beside the API. */
async function suggest(container: Element, address: Address): Promise<void> {
  try {
    const file = addressOf(pageSettings, "../../wfh-suggest.mjs");
    const { Combobox }: typeof import("./combobox.ts") = await import(
      /* webpackIgnore: true */ /* @vite-ignore */ file
    );
    new Combobox(container, address);
  } catch {
    // The fields stay plain ones.
  }
}

/** Fills containers marked with `data-wfh`, also those added later, and `<wfh-postal-code>`. */
export function autofillMarked(): void {
  const name = "wfh-postal-code";
  if (!customElements.get(name)) {
    customElements.define(
      name,
      class extends HTMLElement {
        connectedCallback() {
          autofill(this);
        }
      },
    );
  }
  marked = '[data-wfh=""]';
  observe();
  refresh();
}

/** Looks what containers and fields there are now. */
function refresh(): void {
  for (const container of marked ? document.querySelectorAll(marked) : []) {
    if (!addresses.has(container)) autofill(container);
  }
  for (const [container, address] of addresses) {
    if (container.isConnected) address.refresh();
    else addresses.delete(container);
  }
}

function observe(): void {
  if (observer) return;
  observer = new MutationObserver((records) => {
    // What we show ourselves is no reason to look again.
    const isOwn = ({ target }: MutationRecord) => (target as Element).closest?.('[class^="wfh-"]');
    if (!records.every(isOwn)) refresh();
  });
  observer.observe(document, { childList: true, subtree: true });
  const handle = (event: Event) => {
    for (const address of addresses.values()) address.handle(event);
  };
  for (const type of ["input", "change", "submit", "formdata", "reset", "pageshow"]) {
    addEventListener(type, handle, true);
  }
}
