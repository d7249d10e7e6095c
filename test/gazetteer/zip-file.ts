import { crc32, deflateRawSync } from "node:zlib";

/** A zip with one entry, as GeoNames packs a table. The day is in the time of the entry. */
export function zipOf(name: string, text: string, day: Date): Buffer {
  const content = Buffer.from(text);
  const packed = deflateRawSync(content);
  const fields = Buffer.alloc(22);
  fields.writeUInt16LE(8, 4);
  fields.writeUInt16LE(
    ((day.getUTCFullYear() - 1980) << 9) | ((day.getUTCMonth() + 1) << 5) | day.getUTCDate(),
    8,
  );
  fields.writeUInt32LE(crc32(content), 10);
  fields.writeUInt32LE(packed.length, 14);
  fields.writeUInt32LE(content.length, 18);
  fields.writeUInt16LE(20, 0);
  const nameLengths = Buffer.from([name.length, 0, 0, 0]);
  const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), fields, nameLengths]);
  const central = Buffer.concat([
    Buffer.from("PK\u0001\u0002\u0014\u0000", "latin1"),
    fields,
    nameLengths,
    Buffer.alloc(14),
    Buffer.from(name),
  ]);
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006", "latin1");
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length + name.length + packed.length, 16);
  return Buffer.concat([local, Buffer.from(name), packed, central, end]);
}
