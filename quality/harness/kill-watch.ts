/**
 * Milliseconds after a kill in which responses of the dead process may still arrive: they wait in
 * the system's buffers while the load is busy.
 */
const echoMs = 1_000;

/** Effect of one kill on the callers. */
export interface KillEffect {
  readonly atMs: number;
  /** Time from the kill to the first response of a new process; undefined without one. */
  replacedMs: number | undefined;
  /** Known processes of broken connections: the killed one. */
  readonly broken: Set<string>;
}

/** Tells connections broken by a kill from those broken by the server; in milliseconds. */
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
   * True when the last kill explains a broken connection.
   *
   * @param aliveAtMs last proof that it was whole: its latest response, or its beginning.
   * @param process that responded on it before; undefined without a response.
   */
  explains(aliveAtMs: number, process: string | undefined): boolean {
    const effect = this.#effects.at(-1);
    if (effect === undefined || aliveAtMs > effect.atMs + echoMs) return false;
    if (process !== undefined) effect.broken.add(process);
    // One process was killed: connections of another one have no reason to break.
    return effect.broken.size <= 1;
  }
}
