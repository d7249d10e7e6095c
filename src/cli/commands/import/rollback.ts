import { openArtifact } from "../../../gazetteer/format/artifact.ts";
import { exitCodes } from "../../exit-codes.ts";
import { openConfiguredReleases, withReleases } from "../../gazetteer.ts";
import { renderJsonLine } from "../../io/printable.ts";
import type { Terminal } from "../../io/terminal.ts";
import { readSettings } from "../../settings.ts";
import { describeFacts } from "../data/describe-facts.ts";

/** Options of `import rollback`. */
export interface RollbackOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly config?: string;
}

/**
 * Publishes the previous release, or the later one again. Resolves to the exit code.
 *
 * @throws {CommandError} when there is none, or it cannot be put in place.
 */
export async function rollBackImport(options: RollbackOptions, console: Terminal): Promise<number> {
  const config = readSettings(options.config, console);
  const releases = openConfiguredReleases(config.gazetteer);
  await withReleases(() => releases.change(({ rollBack }) => rollBack()));
  const { facts } = openArtifact(releases.file);
  if (options.json) {
    const { dataDate, postalCodesByCountry } = facts;
    console.out(renderJsonLine({ file: releases.file, dataDate, postalCodesByCountry }));
  } else if (!options.quiet) {
    console.out(
      `Now served from ${releases.file}: ${describeFacts(facts)}.\nRepeat the command to undo this.\n`,
    );
  }
  return exitCodes.done;
}
