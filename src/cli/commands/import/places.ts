import { builtInGazetteer, openArtifact } from "../../../gazetteer/format/artifact.ts";
import {
  type CustomReport,
  importCustomPlaces,
} from "../../../gazetteer/import/custom/import-custom-places.ts";
import { CustomTableError } from "../../../gazetteer/import/custom/problems.ts";
import { ImportError } from "../../../gazetteer/import/import-error.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { toPrintable } from "../../io/printable.ts";
import type { Terminal } from "../../io/terminal.ts";
import {
  renderCustomImport,
  renderCustomImportJson,
  renderProblems,
  renderProblemsJson,
} from "./places-report.ts";
import { type Built, type ImportOptions, type ImportRun, runImport } from "./run-import.ts";
import { type ImportSources, nothingChanged, openImportSources } from "./sources.ts";

/**
 * Imports a table of custom places. Resolves to the exit code.
 *
 * @throws {CommandError} when it cannot be done; what was served before still is.
 */
export async function importCustomPlacesFile(
  file: string,
  options: ImportOptions,
  console: Terminal,
): Promise<number> {
  const found = await runImport(options, console, async (run) => {
    try {
      const opened = await openImportSources([file], console);
      try {
        return await build(opened, run);
      } finally {
        await opened.close();
      }
    } catch (cause) {
      if (cause instanceof CustomTableError && options.json) console.out(renderProblemsJson(cause));
      throw toCommandError(cause, options.json === true);
    }
  });
  if (options.json) console.out(renderCustomImportJson(found, options));
  else if (!options.quiet) console.out(renderCustomImport(found, options));
  return exitCodes.done;
}

/** What an operator is told: all problems of the table, unless they are in the JSON. */
function toCommandError(cause: unknown, isJson: boolean): unknown {
  if (cause instanceof CustomTableError) {
    const told = isJson ? `${toPrintable(cause.message)}.\n` : renderProblems(cause);
    return new CommandError(`${told}${nothingChanged}`, exitCodes.failed, cause);
  }
  if (!(cause instanceof ImportError)) return cause;
  const { source, line, message } = cause;
  const where = line === undefined ? source : `${source}, line ${line}:`;
  const told = `${toPrintable(`${where} ${message}`)}.\n${nothingChanged}`;
  return new CommandError(told, exitCodes.failed, cause);
}

async function build(
  { sources, name }: ImportSources,
  { current, signal, tell, openMeter }: ImportRun,
): Promise<Built<CustomReport>> {
  const [source] = sources;
  if (source === undefined) throw new CommandError("There is no file to read.", exitCodes.usage);
  tell(`Reading ${toPrintable(name)}`);
  const meter = openMeter("Reading", "rows");
  try {
    return await importCustomPlaces({
      source,
      current,
      builtIn: openArtifact(builtInGazetteer),
      importedAt: new Date().toISOString(),
      signal,
      onRows: (share, rows) => meter.update(share, rows),
    });
  } finally {
    meter.close();
  }
}
