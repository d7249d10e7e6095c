import { renderBytes } from "../../io/printable.ts";
import { renderTable } from "../../io/table.ts";
import { backupNames, type Manifest } from "./manifest.ts";

/** What a backup holds, as a table. */
export function renderContents({ database, gazetteer, keys }: Manifest): string {
  const rows: string[][] = [["File", "Size", "What"]];
  if (database !== null) {
    const { schemaVersion, rows: counts } = database;
    const tables = ["accounts", "forms", "sessions", "page_requests"].map((table) => {
      const noun = table.replace("_", " ");
      const count = counts[table] ?? 0;
      return `${count.toLocaleString("en-US")} ${count === 1 ? noun.slice(0, -1) : noun}`;
    });
    const what = [...tables, `schema ${schemaVersion}`].join(", ");
    rows.push([backupNames.database, renderBytes(database.bytes), what]);
  }
  const { isBuiltIn, postalCodes, dataDate } = gazetteer;
  const codes = `${postalCodes.toLocaleString("en-US")} postal codes, as of ${dataDate}`;
  const what = isBuiltIn ? `${codes}, built in` : codes;
  rows.push([backupNames.gazetteer, renderBytes(gazetteer.bytes), what]);
  if (keys !== null) rows.push([backupNames.keys, renderBytes(keys.bytes), "keys of log-ins"]);
  return renderTable(rows);
}

/** A note on hashes that are lost without their key; `""` without such hashes, or with the key in the backup. */
export function describeSealed({ database, keys }: Manifest): string {
  const hashes = database?.sealedHashes ?? 0;
  if (hashes === 0 || keys !== null) return "";
  const count =
    hashes === 1 ? "1 imported hash" : `${hashes.toLocaleString("en-US")} imported hashes`;
  return `${count} in it can only be read with that key: without it their owners cannot log in. Run wfh accounts rehash to make them independent of it.\n`;
}
