import { runInSteps } from "../../lib/run-in-steps.ts";
import type { Gazetteer } from "./gazetteer.ts";

/** Postal data arranged for a search: at the first use, and again after the data has changed. */
export class GazetteerIndex<Data extends Pick<Gazetteer, "facts">, Index> {
  readonly #data: Data;
  readonly #build: (data: Data) => Generator<undefined, Index>;
  #built: { readonly of: Data["facts"]; readonly index: Promise<Index> } | undefined;

  /** @param build pauses every few milliseconds, so that no other call waits for it. */
  constructor(data: Data, build: (data: Data) => Generator<undefined, Index>) {
    this.#data = data;
    this.#build = build;
  }

  /** Resolves to the index of the data that is served now. Concurrent calls share one build. */
  async current(): Promise<Index> {
    for (;;) {
      const { facts } = this.#data;
      if (this.#built?.of !== facts) {
        this.#built = { of: facts, index: runInSteps(this.#build(this.#data)) };
      }
      try {
        const index = await this.#built.index;
        if (this.#data.facts === facts) return index;
      } catch (cause) {
        // Data that is replaced meanwhile is no longer readable.
        if (this.#data.facts === facts) throw cause;
      }
    }
  }
}
