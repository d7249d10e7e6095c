/**
 * Folder of the program, as a checkout or installed: it has `package.json`, `data/` and `docs/`.
 */
export const programFolder = new URL("../../", import.meta.url);
