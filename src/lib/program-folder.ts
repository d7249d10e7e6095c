/** Folder of the program, a checkout or an installed package: it has `package.json`, `data/` and `docs/`. */
export const programFolder = new URL("../../", import.meta.url);
