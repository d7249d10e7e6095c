/** What the name of a column is compared by: case, blanks, `_` and `-` do not count. */
export function foldColumn(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, "");
}
