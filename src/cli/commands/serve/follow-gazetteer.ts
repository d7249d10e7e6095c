import type { GazetteerFacts } from "../../../domain/location/gazetteer.ts";
import type { LiveGazetteer } from "../../../gazetteer/releases/live-gazetteer.ts";
import type { Log } from "../../../server/log.ts";

/**
 * Time between two looks at the file, in milliseconds: soon enough for whoever waits for an import, and one question to the
 * system each time.
 */
const intervalMs = 2_000;

/**
 * Looks from time to time whether an import has replaced the file, and at once when somebody asks for it (SIGHUP).
 * Asking the file system again and again is what works everywhere: notifications do not come from network file systems,
 * and they follow a file that was moved away instead of its name.
 */
export function followGazetteer(
  gazetteer: Pick<LiveGazetteer, "refresh">,
  log: Log,
): { lookAgain(): void } {
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
  return { lookAgain: () => void look("again") };
}

function toLogFacts({ dataDate, postalCodeCount, postalCodesByCountry }: GazetteerFacts) {
  const countries = Object.keys(postalCodesByCountry).length;
  return { dataDate, postalCodes: postalCodeCount, countries };
}
