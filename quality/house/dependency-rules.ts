/** The parts of a package.json that the rules look at. */
export interface Manifest {
  readonly name?: string;
  readonly license?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Reads the package.json of a folder (`""` is the project); undefined if it is missing. */
export type ReadManifest = (folder: string) => Manifest | undefined;

/** A package with everything it needs at run time. */
export interface InstalledPackage {
  /** For example `"node_modules/pino"`. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** Licences that ask for no more than to be named. */
const allowedLicences = [
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "CC0-1.0",
  "ISC",
  "MIT",
  "Unlicense",
];

/** Scripts that npm runs where a package is installed. */
const installScripts = ["preinstall", "install", "postinstall"];

/** Without workspaces, which have manifests of their own. */
function directDependencies(
  manifest: Manifest,
  kinds: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const all = { ...manifest.dependencies, ...manifest.optionalDependencies, ...kinds };
  return Object.fromEntries(Object.entries(all).filter(([name]) => !name.startsWith("@wfh/")));
}

/** Dependencies whose version is a range: what was tried is what must be installed. */
export function findUnpinned(manifest: Manifest): readonly string[] {
  return Object.entries(directDependencies(manifest, manifest.devDependencies))
    .filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.-]+)?$/.test(version))
    .map(([name, version]) => `${name} is not pinned: ${version}`);
}

/** Dependencies that no page of decisions names, in backquotes. */
export function findUnreasoned(manifest: Manifest, decisions: string): readonly string[] {
  return Object.keys(directDependencies(manifest, manifest.devDependencies))
    .filter((name) => !decisions.includes(`\`${name}\``))
    .map((name) => `${name} has no decision record`);
}

/**
 * Every package that is installed for the running product, found as Node finds it.
 *
 * @param from folder of a workspace; `""` is the project.
 * @throws {Error} when one is not installed.
 */
export function listRuntimePackages(read: ReadManifest, from = ""): readonly InstalledPackage[] {
  const found = new Map<string, InstalledPackage>();
  const visit = (folder: string, manifest: Manifest): void => {
    for (const name of Object.keys(directDependencies(manifest))) {
      const dependency = resolvePackage(name, folder, read);
      if (dependency === undefined) {
        if (manifest.optionalDependencies?.[name] !== undefined) continue;
        throw new Error(`${name}, needed by ${folder || "the project"}, is not installed`);
      }
      if (found.has(dependency.folder)) continue;
      found.set(dependency.folder, dependency);
      visit(dependency.folder, dependency.manifest);
    }
  };
  visit(from, read(from) ?? {});
  return [...found.values()];
}

function resolvePackage(
  name: string,
  from: string,
  read: ReadManifest,
): InstalledPackage | undefined {
  const folder = `${from === "" ? "" : `${from}/`}node_modules/${name}`;
  const manifest = read(folder);
  if (manifest !== undefined) return { folder, manifest };
  if (from === "") return undefined;
  const above = from.slice(0, Math.max(0, from.lastIndexOf("/node_modules/")));
  return resolvePackage(name, above, read);
}

/** Packages under a licence that is not on the list. */
export function findRefusedLicences(packages: readonly InstalledPackage[]): readonly string[] {
  return packages
    .filter(({ manifest }) => !isAllowed(manifest.license ?? ""))
    .map(({ folder, manifest }) => `${folder} is under ${manifest.license ?? "no licence"}`);
}

/** One of the alternatives of an SPDX expression must be allowed in all its parts. */
function isAllowed(expression: string): boolean {
  return expression
    .replace(/^\((.*)\)$/, "$1")
    .split(" OR ")
    .some((terms) => terms.split(" AND ").every((term) => allowedLicences.includes(term)));
}

/** Packages that run something while they are installed. */
export function findInstallScripts(packages: readonly InstalledPackage[]): readonly string[] {
  return packages.flatMap(({ folder, manifest }) =>
    installScripts
      .filter((script) => manifest.scripts?.[script] !== undefined)
      .map((script) => `${folder} has a script ${script}`),
  );
}

/** Download addresses in a lock file: they tie it to one registry. */
export function findAddresses(lock: string): readonly string[] {
  return lock.match(/"resolved": "http[^"]*"/g) ?? [];
}
