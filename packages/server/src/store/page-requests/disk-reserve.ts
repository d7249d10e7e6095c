/** Space on the disk of a database, in bytes. */
export interface DiskSpace {
  readonly folder: string;
  /** Space that the server may still fill. */
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** Space that page requests leave free, in MiB; `auto` is a share of the disk. */
export type DiskReserve = number | "auto";

const mebibyte = 1_048_576;
/** Least reserve by itself, in bytes: a write-ahead log, and log-ins for years. */
const reserveLeast = 256 * mebibyte;
/** Share of the reserve that is free beyond it before rows are taken again: the log grows, too. */
const backShare = 1 / 10;

/** So little is free on the disk of the database that page requests are refused (decision 0045). */
export class DiskReserveError extends Error {
  constructor(folder: string, reserveBytes: number) {
    const reserve = `${Math.ceil(reserveBytes / mebibyte)} MiB`;
    super(
      `Less than ${reserve} are free on the disk of ${folder} (WFH_DISK_RESERVE_MB). Free some space: page requests are refused until then, log-ins go on`,
    );
    this.name = "DiskReserveError";
  }
}

/** Bytes to reserve: `auto` is the larger of 5 % and 256 MiB, a quarter of a disk below 1 GiB. */
export function reserveBytesOf({ totalBytes }: DiskSpace, reserve: DiskReserve): number {
  if (reserve !== "auto") return reserve * mebibyte;
  return Math.min(totalBytes / 4, Math.max(totalBytes / 20, reserveLeast));
}

/**
 * @param isBelow whether the free space has been below the reserve.
 * @throws {DiskReserveError} when it is.
 */
export function refuseBelowReserve(
  { folder, freeBytes }: DiskSpace,
  reserveBytes: number,
  isBelow: boolean,
): void {
  const wanted = isBelow ? reserveBytes + reserveBytes * backShare : reserveBytes;
  if (freeBytes < wanted) throw new DiskReserveError(folder, reserveBytes);
}
