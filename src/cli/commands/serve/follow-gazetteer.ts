import type { GazetteerFacts } from "../../../domain/location/gazetteer.ts";
import type { LiveGazetteer } from "../../../gazetteer/releases/live-gazetteer.ts";
import type { Log } from "../../../server/log.ts";

/** Time between two checks of the file, in milliseconds: an import takes effect soon, and a check is one system call. */
const intervalMs = 2_000;

/**
 * Checks from time to time whether an import has replaced the file, and at once on `reload` (SIGHUP). Polling works everywhere:
 * notifications do not come from network file systems, and they follow a file that was moved away instead of its name.
 */
export function followGazetteer(
  gazetteer: Pick<LiveGazetteer, "refresh">,
  log: Log,
): { reload(): void } {
  const look = async (again?: "again") => {
    const found = await gazetteer.refresh(again);
    if (found.kind === "loaded") {
      const [before, after] = [found.before, found.after].map(toLogFacts);
      log.info({ before, after }, "gazetteer replaced");
    } else if (found.kind === "failed") {
      log.error({ cause: found.reason }, "the new gazetteer cannot be used, the old one stays");
    } else if (again !== undefined) {
      log.info("no gazetteer file, what is served stays");
    }
  };
  const timer = setInterval(() => void look(), intervalMs);
  timer.unref();
  return { reload: () => void look("again") };
}

function toLogFacts({ dataDate, postalCodeCount, postalCodesByCountry }: GazetteerFacts) {
  const countries = Object.keys(postalCodesByCountry).length;
  return { dataDate, postalCodes: postalCodeCount, countries };
}
