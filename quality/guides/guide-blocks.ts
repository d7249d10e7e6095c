import { readText } from "@wfh/server/test/source-files.ts";
import { commandBlocksOf } from "../house/documents.ts";

/** The documents whose blocks of commands run on machines of the tests. */
const paths = [
  "install",
  "configure",
  "postgresql",
  "nodes",
  "route",
  "upgrade",
  "operating",
  "troubleshoot",
];

/** A block of commands that a document does not run itself. */
interface Block {
  /** For example `"docs/nodes.md, Add a node, 2"`. */
  readonly name: string;
  readonly commands: string;
}

const blocks: readonly Block[] = paths.flatMap((name) => {
  const path = `docs/${name}.md`;
  const counts = new Map<string, number>();
  return commandBlocksOf(readText(path)).map(({ heading, commands }) => {
    const number = (counts.get(heading) ?? 0) + 1;
    counts.set(heading, number);
    return { name: `${path}, ${heading}, ${number}`, commands };
  });
});
const run = new Set<string>();

/** The commands of a block, which is then known to have been run. */
export function takeBlock(path: string, heading: string, number = 1): string {
  const name = `docs/${path}.md, ${heading}, ${number}`;
  const found = blocks.find((block) => block.name === name);
  if (found === undefined) throw new Error(`There is no block "${name}"`);
  run.add(name);
  return found.commands;
}

/** Names of the blocks that have not been run. */
export function blocksLeft(): readonly string[] {
  return blocks.map(({ name }) => name).filter((name) => !run.has(name));
}

/** Number of blocks. */
export const blockCount = blocks.length;
