// The bundles of a package are in one folder of it.
const path = import.meta.url.endsWith(".ts") ? "../../../../" : "../";

/** Folder of the checkout or installed package: has `package.json`, `data/` and `docs/`. */
export const programFolder = new URL(path, import.meta.url);
