/**
 * Time after a kill in which answers of the dead may still arrive, in milliseconds: they lie in the system's buffers while the load has
 * something else to do.
 */
const echoMs = 1_000;

/** What one kill did to the callers. */
export interface KillEffect {
  readonly atMs: number;
  /** From the kill to the first answer of a process that has not been heard before; undefined while there is none. */
  replacedMs: number | undefined;
  /** Processes whose connections broke, where it is known whose they were: the one that was killed. */
  readonly broken: Set<string>;
}

/** Tells a connection that a kill broke from one that the server broke. Times are milliseconds of one clock. */
export class KillWatch {
  readonly #known = new Set<string>();
  readonly #effects: KillEffect[] = [];

  get effects(): readonly KillEffect[] {
    return this.#effects;
  }

  /** A server is killed now. */
  killed(atMs: number): void {
    this.#effects.push({ atMs, replacedMs: undefined, broken: new Set() });
  }

  /** A process has answered. */
  heard(process: string, atMs: number): void {
    if (this.#known.has(process)) return;
    this.#known.add(process);
    const effect = this.#effects.at(-1);
    if (effect !== undefined) effect.replacedMs ??= atMs - effect.atMs;
  }

  /**
   * Whether a broken connection is the doing of the last kill.
   *
   * @param aliveAtMs when the connection was last known to be whole: its latest answer, or its beginning.
   * @param process who answered on it before; undefined where nobody had.
   */
  explains(aliveAtMs: number, process: string | undefined): boolean {
    const effect = this.#effects.at(-1);
    if (effect === undefined || aliveAtMs > effect.atMs + echoMs) return false;
    if (process !== undefined) effect.broken.add(process);
    // One process was killed: connections of another one have no reason to break.
    return effect.broken.size <= 1;
  }
}
