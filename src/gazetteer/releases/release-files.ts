import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** Files of the artifact that is served, all in one folder, so that one can take another's place at once. */
export interface ReleaseFiles {
  readonly folder: string;
  readonly current: string;
  readonly previous: string;
  readonly lock: string;
  /** A file that is being written; the name tells apart what killed imports have left. */
  written(random: string): string;
  /** The current artifact while it is becoming the previous one. */
  linked(random: string): string;
  /** The current artifact while it is being swapped with the previous one. */
  swapped(random: string): string;
  /** What a name in the folder is a leftover of. */
  leftoverOf(name: string): "writing" | "swapping" | undefined;
}

/** Names the files beside an artifact. A link is followed: what it leads to is replaced, not the link. */
export function releaseFiles(path: string): ReleaseFiles {
  const current = followLinks(resolve(path));
  const name = basename(current);
  const folder = dirname(current);
  const beside = (end: string) => join(folder, `${name}.${end}`);
  return {
    folder,
    current,
    previous: beside("previous"),
    lock: beside("lock"),
    written: (random) => beside(`new-${random}`),
    linked: (random) => beside(`old-${random}`),
    swapped: (random) => beside(`back-${random}`),
    leftoverOf(found) {
      if (found.startsWith(`${name}.new-`) || found.startsWith(`${name}.old-`)) return "writing";
      return found.startsWith(`${name}.back-`) ? "swapping" : undefined;
    },
  };
}

/** Where a path leads; a file at its end, or at the end of its last link, need not be there. */
function followLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
    return isLink ? resolve(dirname(path), readlinkSync(path)) : path;
  }
}
