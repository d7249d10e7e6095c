import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Gazetteer, GazetteerFacts } from "../../domain/location/gazetteer.ts";
import { builtInGazetteer } from "../format/built-in.ts";
import {
  type LoadedGazetteer,
  loadGazetteer,
  loadGazetteerNow,
  stampOf,
} from "./load-gazetteer.ts";

/**
 * A gazetteer that changes to another artifact while it is asked, when its file is replaced. Between two calls, never
 * within one: an answer is of one artifact.
 */
export interface LiveGazetteer extends Gazetteer {
  /**
   * Looks at the file, and loads it if it is another one. Never rejects. Two at a time are one; what is wrong with a file
   * is told once, unless `again` asks for it.
   */
  refresh(again?: "again"): Promise<Refresh>;
}

/** What came of looking at the file. */
export type Refresh =
  | { readonly kind: "same" }
  | { readonly kind: "loaded"; readonly before: GazetteerFacts; readonly after: GazetteerFacts }
  /** What was served before still is. */
  | { readonly kind: "failed"; readonly reason: string };

/** Stands for a file that is not there. */
const absent = "absent";

/**
 * Opens a file that may be replaced; where there is none, the built-in artifact until there is one.
 *
 * @throws {Error} when the file is there and is not an intact artifact; the message names it.
 */
export function openLiveGazetteer(file: string): LiveGazetteer {
  const isThere = existsSync(file);
  let loaded: LoadedGazetteer = loadGazetteerNow(isThere ? file : fileURLToPath(builtInGazetteer));
  let current = loaded.gazetteer;
  let seen = isThere ? loaded.stamp : absent;
  let refreshing: Promise<Refresh> | undefined;
  let toldReason: string | undefined;

  async function load(): Promise<Refresh> {
    const next = await loadGazetteer(file);
    const { facts: before } = current;
    current = next.gazetteer;
    seen = next.stamp;
    toldReason = undefined;
    // Look-ups do not wait for anything, so none is in the middle of the old one.
    loaded.release();
    loaded = next;
    return { kind: "loaded", before, after: current.facts };
  }

  async function refresh(again: boolean): Promise<Refresh> {
    const found = await stat(file, { bigint: true }).then(stampOf, () => absent);
    if (found === seen && (found === absent || !again)) return { kind: "same" };
    seen = found;
    try {
      return await load();
    } catch (cause) {
      // What the system refuses now it may allow later, without a new file: tried again, and told once.
      if (cause instanceof Error && "code" in cause && found !== absent) seen = "refused";
      return tell(cause instanceof Error ? cause.message : String(cause), again);
    }
  }

  function tell(reason: string, again: boolean): Refresh {
    const isKnown = reason === toldReason && !again;
    toldReason = reason;
    return isKnown ? { kind: "same" } : { kind: "failed", reason };
  }

  return {
    get facts() {
      return current.facts;
    },
    findPlace: (key, rankOf) => current.findPlace(key, rankOf),
    listPlaces: (key) => current.listPlaces(key),
    listCountries: () => current.listCountries(),
    listStates: (countryId) => current.listStates(countryId),
    refresh(again) {
      refreshing ??= refresh(again === "again").finally(() => {
        refreshing = undefined;
      });
      return refreshing;
    },
  };
}
