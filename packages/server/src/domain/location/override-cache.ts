import type { OverrideSource } from "./override.ts";
import { indexOverrides, type OverrideIndex } from "./override.ts";

/** Interval of checks for changes, in milliseconds: a change takes effect soon after it. */
const checkMs = 2_000;

/** Collaborators of an override cache. */
export interface OverrideCacheDeps {
  readonly source: OverrideSource;
  /** Runs something later; the function that is returned cancels it. */
  readonly after: (delayMs: number, run: () => void) => () => void;
  /** Called with the number of overrides after a read that changed them. */
  readonly onChange: (count: number) => void;
  /** Called once when they cannot be read, until they can be again. */
  readonly onFailure: (cause: unknown) => void;
  /** Called when they can be read again. */
  readonly onRecovery: () => void;
}

/**
 * In-memory overrides that operators and other nodes change in the database (decision 0034). Reads
 * only the revision until it changes. A failing source leaves the known ones.
 */
export class OverrideCache {
  /** The latest that were read; empty at first. A field, because every look-up reads it. */
  index: OverrideIndex = indexOverrides([]);
  readonly #deps: OverrideCacheDeps;
  #revision: bigint | undefined;
  #isFailing = false;
  #isStopped = false;
  #cancel = () => {};

  constructor(deps: OverrideCacheDeps) {
    this.#deps = deps;
  }

  /** Reads them, and checks for changes every two seconds from then on. Never rejects. */
  async start(): Promise<void> {
    const { after, onFailure, onRecovery } = this.#deps;
    try {
      await this.#read();
      if (this.#isFailing) onRecovery();
      this.#isFailing = false;
    } catch (cause) {
      if (!this.#isFailing && !this.#isStopped) onFailure(cause);
      this.#isFailing = true;
    }
    if (!this.#isStopped) this.#cancel = after(checkMs, () => void this.start());
  }

  /** Stops checking. A check that has begun goes on, and reports no failure. */
  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  async #read(): Promise<void> {
    const { source, onChange } = this.#deps;
    // First the revision, then the rows: a change in between is read the next time.
    const revision = await source.readRevision();
    if (revision === this.#revision) return;
    const overrides = await source.list();
    const isChange = this.#revision !== undefined || overrides.length > 0;
    this.index = indexOverrides(overrides);
    this.#revision = revision;
    if (isChange) onChange(overrides.length);
  }
}
