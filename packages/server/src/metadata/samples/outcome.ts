import type { OutcomeWords } from "../../contract/operation.ts";

/** Outcome of a call, in words. */
export interface CallOutcome {
  readonly words: string;
  /** Class of the words on the page. */
  readonly kind: "done" | "notdone" | "failed";
  /** Why nothing was found or done; `""` without a reason. */
  readonly reason: string;
}

/** The outcome that the values of a result stand for. */
export function describeOutcome(
  { done, decidedBy, notDone = "", reason = "", reasons }: OutcomeWords,
  values: ReadonlyMap<string, string>,
): CallOutcome {
  if (decidedBy !== undefined && (values.get(decidedBy) ?? "false") === "false") {
    const value = values.get(reason) ?? "";
    return { words: notDone, kind: "notdone", reason: reasons?.[value] ?? value };
  }
  const words = done.replace(/\{([\w.]+)\}/g, (_, name: string) => values.get(name) ?? "");
  return { words: words.replace(/[,\s]+(?=\(|$)/g, " ").trim(), kind: "done", reason: "" };
}

/** First value of each name, also with its object's (`state.name`), and lengths of lists. */
export function valuesOf(result: unknown): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const put = (key: string, text: unknown) => values.has(key) || values.set(key, String(text));
  const collect = (name: string, value: object) => {
    if (Array.isArray(value)) put(`${name}.length`, value.length);
    for (const [key, member] of Object.entries(value as Record<string, unknown>)) {
      if (typeof member === "object" && member !== null) {
        collect(Array.isArray(value) ? name : key, member);
      } else if (member !== null) {
        put(key, member);
        put(`${name}.${key}`, member);
      }
    }
  };
  if (typeof result === "object" && result !== null) collect("", result);
  return values;
}
