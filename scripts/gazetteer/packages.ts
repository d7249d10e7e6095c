import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);

/** Folders of the data packages. Those whose exports hide other files are found by a module. */
const folders = {
  "cldr-core": dirname(require.resolve("cldr-core/package.json")),
  "cldr-localenames-full": dirname(require.resolve("cldr-localenames-full/package.json")),
  "cldr-subdivisions-full": dirname(require.resolve("cldr-subdivisions-full/package.json")),
  "countries-list": join(dirname(require.resolve("countries-list")), ".."),
  "iso-3166": dirname(require.resolve("iso-3166")),
};

/** A package that data comes from. */
export type PackageName = keyof typeof folders;

/** JSON file of an installed package; the caller says its shape. */
export function readPackageJson<Shape>(packageName: PackageName, path: string): Shape {
  return JSON.parse(readFileSync(join(folders[packageName], path), "utf8")) as Shape;
}

/** Installed version, for example `"1.1.3"`. */
export function readPackageVersion(packageName: PackageName): string {
  return readPackageJson<{ version: string }>(packageName, "package.json").version;
}
