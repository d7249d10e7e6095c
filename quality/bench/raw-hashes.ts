import { availableParallelism } from "node:os";
import { hashRaw } from "@node-rs/argon2";
import { currentWork } from "@wfh/server/secrets/argon2.ts";

/**
 * Password hashes alone, one per core: `node raw-hashes.ts MS`. Prints one JSON round, the upper
 * bound of log-ins.
 */
export interface RawRound {
  readonly hashesPerSecond: number;
  readonly hashesPerCpuSecond: number;
}

const forMs = Number(process.argv[2] ?? "1000");
const { memoryKib, passes, lanes } = currentWork;
const salt = Buffer.alloc(16, "s");

async function loop(until: number): Promise<number> {
  let count = 0;
  for (; performance.now() < until; count += 1) {
    await hashRaw("five small grey pigeons", {
      salt,
      memoryCost: memoryKib,
      timeCost: passes,
      parallelism: lanes,
    });
  }
  return count;
}

const started = performance.now();
const cpuBefore = process.cpuUsage();
const loops = Array.from({ length: availableParallelism() }, () => loop(started + forMs));
const hashes = (await Promise.all(loops)).reduce((sum, count) => sum + count, 0);
const { user, system } = process.cpuUsage(cpuBefore);
const round: RawRound = {
  hashesPerSecond: hashes / ((performance.now() - started) / 1_000),
  hashesPerCpuSecond: hashes / ((user + system) / 1_000_000),
};
console.log(JSON.stringify(round));
