import timers from "node:timers/promises";
import { PasswordHasher, type PasswordHashingDeps } from "./password-hashing.ts";

/** Form of the record of an account whose password only an old server can verify. */
export const legacyLogInForm = "legacy-log-in";
const recordStart = `$${legacyLogInForm}$`;

/** The record of such an account, which holds its name at the old server. */
export function formatLegacyLogIn(userName: string): string {
  return recordStart + Buffer.from(userName).toString("base64url");
}

/** Durations that are remembered. */
const durationsMax = 16;
/** Longest wait in place of asking, in milliseconds: not every refusal may be as slow. */
const waitMaxMs = 1_000;

/** Asks an old server whether a password is right; never rejects. */
export type AskOldServer = (userName: string, password: string) => Promise<boolean>;

/** Verifies as `PasswordHasher`, and at an old server where the record says so (decision 0084). */
export class LegacyLogInHasher extends PasswordHasher {
  readonly #ask: AskOldServer;
  /** Of the latest times that the old server was asked, in milliseconds. */
  readonly #durationsMs: number[] = [];

  constructor(deps: PasswordHashingDeps & { readonly ask: AskOldServer }) {
    super(deps);
    this.#ask = deps.ask;
  }

  /** With such accounts, a refusal takes as long for every other name as asking took before. */
  override async verify(
    text: string | null,
    password: string,
    forms: readonly string[],
  ): Promise<boolean> {
    const isAsked = text?.startsWith(recordStart) === true;
    const hashed = super.verify(text, password, forms);
    if (isAsked) {
      const startedMs = performance.now();
      const userName = Buffer.from(text.slice(recordStart.length), "base64url").toString();
      const [isRight] = await Promise.all([this.#ask(userName, password), hashed]);
      this.#durationsMs.push(performance.now() - startedMs);
      if (this.#durationsMs.length > durationsMax) this.#durationsMs.shift();
      return isRight;
    }
    if (!forms.includes(legacyLogInForm)) return hashed;
    const at = Math.floor(Math.random() * this.#durationsMs.length);
    const waited = timers.setTimeout(Math.min(this.#durationsMs[at] ?? 0, waitMaxMs));
    return (await hashed) || waited.then(() => false);
  }
}
