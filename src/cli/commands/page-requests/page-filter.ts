import type { PageFilter } from "../../../store/page-requests/reader.ts";
import type { Command, SharedOptions } from "../../io/command.ts";

/** Options that choose page requests to show. */
export interface PageFilterOptions extends SharedOptions {
  readonly form?: bigint;
  readonly url?: string;
  readonly max: number;
}

/** Adds `--form` and `--url`. */
export function addFilterOptions(command: Command): Command {
  return command
    .id("--form <id>", "only page requests of a form")
    .option("--url <text>", "only page requests whose address contains this text");
}

/** The filter that options name. */
export function toPageFilter({ form, url }: PageFilterOptions): PageFilter {
  return { formId: form ?? null, url: url ?? null };
}
