// The bundles of a package are in one folder of it.
const path = import.meta.url.endsWith(".ts") ? "../../../../" : "../";

/** Folder of the program, a checkout or an installed package: it has `package.json`, `data/` and `docs/`. */
export const programFolder = new URL(path, import.meta.url);
