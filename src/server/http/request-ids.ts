import { randomBytes } from "node:crypto";

/** Bytes that are fetched at once, for 683 ids: a call of the system for each id costs more than the id. */
const batchBytes = 4_098;
/** Hex digits of an id behind the prefix: 48 random bits, which tell nothing of how many requests there were. */
const digits = 12;

/** Makes a maker of request ids, which all begin with the same prefix. */
export function createIds(prefix: string): () => string {
  let batch = "";
  let at = 0;
  return () => {
    if (at === batch.length) {
      batch = randomBytes(batchBytes).toString("hex");
      at = 0;
    }
    at += digits;
    return prefix + batch.slice(at - digits, at);
  };
}
