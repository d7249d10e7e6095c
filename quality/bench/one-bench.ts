import { benches } from "./benches.ts";

/**
 * Runs one benchmark in a process of its own, so that nothing of it weighs on the next, and sends
 * its result to its parent: `node one-bench.ts NAME [--quick] [--base FOLDER]`.
 */
const [name = ""] = process.argv.slice(2);
const bench = benches[name];
// What ends this way takes its servers and files along.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
process.once("disconnect", () => process.exit(1));
try {
  if (bench === undefined) throw new Error(`There is no benchmark of the name ${name}`);
  const result = await bench.run(process.argv.includes("--quick"));
  process.send?.(result, () => process.exit(0));
} catch (error) {
  console.error(error);
  process.exit(1);
}
