import { crc32, deflateRawSync } from "node:zlib";

/** A file in a zip. */
export interface ZipEntry {
  readonly name: string;
  readonly text: string;
  /** The day that it was changed. */
  readonly day?: Date;
  /** CRC-32, right by default. */
  readonly checksum?: number;
}

/** A zip as GeoNames packs tables: deflated entries, the directory at its end. */
export function zipOf(...entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, text, day = new Date(0), checksum = crc32(text) } of entries) {
    const packed = deflateRawSync(text);
    const date = ((day.getUTCFullYear() - 1980) << 9) | ((day.getUTCMonth() + 1) << 5);
    // From the version to the lengths of the names, the same in both headers.
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(8, 4);
    shared.writeUInt16LE(Math.max(0, date) | day.getUTCDate(), 8);
    shared.writeUInt32LE(checksum, 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(Buffer.byteLength(text), 18);
    shared.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), shared, Buffer.from(name), packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from("PK\u0001\u0002\u0014\u0000"), shared, place, Buffer.from(name));
    locals.push(local);
    offset += local.length;
  }
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006", "latin1");
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, ...directory, end]);
}
