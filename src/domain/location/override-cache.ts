import { indexOverrides, type OverrideIndex } from "./override.ts";
import type { OverrideSource } from "./override-store.ts";

/** Time between two questions whether anything has changed, in milliseconds: what an operator changes holds soon after it. */
const lookMs = 2_000;

/** What a book of overrides is made of. */
export interface OverrideCacheDeps {
  readonly source: OverrideSource;
  /** Runs something later; the function that is returned calls it off. */
  readonly after: (delayMs: number, run: () => void) => () => void;
  /** Called with the number of overrides when they have been read and are others than before. */
  readonly onChange: (count: number) => void;
  /** Called once when they cannot be read, until they can be again. */
  readonly onFailure: (cause: unknown) => void;
  /** Called when they can be read again. */
  readonly onRecovery: () => void;
}

/** The overrides as they were a moment ago, in memory. */
export interface OverrideCache {
  /** The latest that could be read; none before that. */
  current(): OverrideIndex;
  /** Reads them, and looks for changes every two seconds from then on. Never rejects. */
  start(): Promise<void>;
  /** Looks no more; resolves when a look that has begun is over. */
  stop(): Promise<void>;
}

/**
 * Makes a book over overrides that operators and other nodes change (decision 0034). Only a revision is asked for,
 * as long as it stays the same. A source that fails leaves what is known.
 */
export function createOverrideCache(parts: OverrideCacheDeps): OverrideCache {
  const { source, after } = parts;
  let index = indexOverrides([]);
  let readRevision: bigint | undefined;
  let isFailing = false;
  let isStopped = false;
  let callOff = () => {};
  let looking: Promise<void> = Promise.resolve();

  async function read(): Promise<void> {
    // First the number, then the rows: what changes in between has another number and is read the next time.
    const revision = await source.readRevision();
    if (revision === readRevision) return;
    const overrides = await source.list();
    const isNews = readRevision !== undefined || overrides.length > 0;
    index = indexOverrides(overrides);
    readRevision = revision;
    if (isNews) parts.onChange(overrides.length);
  }
  async function look(): Promise<void> {
    try {
      await read();
      if (isFailing) parts.onRecovery();
      isFailing = false;
    } catch (cause) {
      if (!isFailing) parts.onFailure(cause);
      isFailing = true;
    }
    if (!isStopped) schedule();
  }
  function schedule(): void {
    callOff = after(lookMs, () => {
      looking = look();
    });
  }
  return {
    current: () => index,
    start: () => {
      looking = look();
      return looking;
    },
    stop: async () => {
      isStopped = true;
      callOff();
      await looking;
    },
  };
}
