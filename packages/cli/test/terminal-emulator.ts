import { spawnSync } from "node:child_process";

/** Runs a command on a terminal of its own. */
export const emulator = "script";

const { status } = spawnSync(emulator, ["-qec", "true", "/dev/null"], { stdio: "ignore" });

/** Why no real terminal can be had; false when one can. */
export const noTerminal = status !== 0 && `${emulator} of util-linux is not there`;
