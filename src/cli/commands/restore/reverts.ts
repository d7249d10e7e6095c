import type { AccountReverts } from "../../../store/sqlite/file-process.ts";
import { toPrintable } from "../../io/printable.ts";

/** What a restore changes of accounts, or why that is not known. */
export type Comparison =
  | { readonly reverts: AccountReverts; readonly unknown: null }
  | { readonly reverts: null; readonly unknown: string };

/** What happens to accounts, and what to do about it, the most urgent first. */
const meanings: Readonly<Record<keyof AccountReverts, readonly [what: string, advice: string]>> = {
  enabled: [
    "Accounts that can log in again, disabled since the backup",
    "Disable them again: wfh accounts disable <name>",
  ],
  passwords: [
    "Accounts with their old password, changed since the backup",
    "Set a new one: wfh accounts passwd <name>",
  ],
  gone: [
    "Accounts that are lost, added since the backup",
    "Add or import them again: wfh accounts add <name>, wfh accounts import",
  ],
  back: [
    "Accounts that are back, removed since the backup",
    "Disable them: wfh accounts disable <name>",
  ],
};

/**
 * What a restore changes of accounts, for people; `""` without a comparison.
 *
 * @param createdAt when the backup was begun.
 */
export function describeReverts(comparison: Comparison | null, createdAt: string): string {
  if (comparison === null) return "";
  const { reverts, unknown } = comparison;
  if (reverts === null) {
    return `What reverts is not known: ${toPrintable(unknown)}.
Accounts that were disabled and passwords that were changed since ${createdAt} are as they were then: disable and change them again.
`;
  }
  const show = (count: number) => count.toLocaleString("en-US");
  const lines = (Object.keys(meanings) as (keyof AccountReverts)[]).flatMap((key) => {
    const { count, names } = reverts[key];
    if (count === 0) return [];
    const [what, advice] = meanings[key];
    const more = count > names.length ? [`and ${show(count - names.length)} more`] : [];
    const shown = [...names.map(toPrintable), ...more].join(", ");
    return [`${what} (${show(count)}): ${shown}\n  ${advice}\n`];
  });
  return lines.length > 0 ? lines.join("") : "No account and no password reverts.\n";
}
