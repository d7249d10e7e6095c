import { type Meter, type MeterOptions, openMeter } from "./progress.ts";
import type { Terminal } from "./terminal.ts";

/** A meter for somebody who waits for a command; silent where nobody wants to hear. */
export function openWorkMeter(
  { quiet }: { readonly quiet?: boolean },
  console: Terminal,
  words: Pick<MeterOptions, "verb" | "noun">,
): Meter {
  return openMeter({
    write: quiet ? () => {} : console.err,
    isTerminal: process.stderr.isTTY === true,
    nowMs: () => performance.now(),
    ...words,
  });
}
