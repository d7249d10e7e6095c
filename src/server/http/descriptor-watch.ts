import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import type { Logger } from "pino";

/** How often it is looked, in milliseconds: a look costs some ten microseconds. */
const intervalMs = 1_000;
/** Looks after which it is said again, while it lasts. */
const looksPerLine = 60;

/**
 * Logs when the process has no file descriptor left. libuv closes the connections that it has none for, and tells nobody.
 * Returns what ends the watch.
 *
 * @param open opens a file and closes it again.
 */
export function watchDescriptors(log: Pick<Logger, "error">, open = openNothing): () => void {
  let silentLooks = 0;
  const look = () => {
    silentLooks -= 1;
    try {
      open();
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if ((code !== "EMFILE" && code !== "ENFILE") || silentLooks > 0) return;
      silentLooks = looksPerLine;
      log.error({ code, fix }, "no file descriptors are left: new connections are closed at once");
    }
  };
  const timer = setInterval(look, intervalMs).unref();
  return () => clearInterval(timer);
}

const fix = "raise LimitNOFILE in systemd, or ulimit -n; or set a lower WFH_CONNECTIONS_MAX";

function openNothing(): void {
  closeSync(openSync(devNull, "r"));
}
