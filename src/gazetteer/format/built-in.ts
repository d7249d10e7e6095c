/** The artifact that comes with the program; the same path from `src/` and from `dist/`. */
export const builtInGazetteer = new URL("../../../data/gazetteer.bin", import.meta.url);
