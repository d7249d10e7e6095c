import { crc32 } from "node:zlib";
import {
  checkedFrom,
  detailBytes,
  formatVersion,
  headerBytes,
  magic,
  placeBytes,
  type SectionName,
  sectionNames,
  slotBytes,
  versionWithoutDetails,
} from "./layout.ts";

/** Bytes of each section. */
export type Sections = Readonly<Record<SectionName, Buffer>>;

/** CRC-32 of an artifact, as its header has it. */
export function checksumOf(bytes: Uint8Array): number {
  return crc32(bytes.subarray(checkedFrom));
}

/** Bytes of which the checksum is computed without a pause: a millisecond or two. */
const stepBytes = 2_097_152;

/** Checksum for {@link splitSections}; pauses to let other work of the process run. */
export function* checksumInSteps(bytes: Uint8Array): Generator<undefined, number> {
  let sum = 0;
  for (let at = checkedFrom; at < bytes.length; at += stepBytes) {
    sum = crc32(bytes.subarray(at, at + stepBytes), sum);
    yield;
  }
  return sum;
}

/**
 * Finds the sections of an artifact, without copying. All bytes are checked.
 *
 * @throws {Error} when they are not an intact artifact of this version; the message has `name`.
 */
export function splitSections(
  bytes: Uint8Array,
  name: string,
  checksum = checksumOf(bytes),
): Sections {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const damage = findDamage(all, checksum);
  if (damage !== undefined) throw new Error(`Gazetteer ${name} ${damage}`);
  const hasDetails = all.readUInt32LE(8) !== versionWithoutDetails;
  const [tables, cities, places, runs, slots, details] = sectionNames.map((section, number) => {
    if (section === "details" && !hasDetails) return all.subarray(0, 0);
    const offset = all.readUInt32LE(checkedFrom + 8 * number);
    return all.subarray(offset, offset + all.readUInt32LE(checkedFrom + 8 * number + 4));
  });
  if (!(tables && cities && places && runs && slots && details)) {
    throw new Error("A section has no header");
  }
  if (places.length % placeBytes !== 0 || runs.length % 4 !== 0 || slots.length % slotBytes !== 0) {
    throw new Error(`Gazetteer ${name} has a section that ends within a record`);
  }
  const detailCount = slots.length / slotBytes + runs.length / 4;
  if (hasDetails && details.length !== detailCount * detailBytes) {
    throw new Error(`Gazetteer ${name} has a section of the wrong length`);
  }
  return { tables, cities, places, runs, slots, details };
}

/** From the most to the least likely mistake, so that the message names the cause. */
function findDamage(bytes: Buffer, checksum: number): string | undefined {
  if (bytes.length === 0) return "is empty";
  if (!bytes.toString("latin1", 0, magic.length).startsWith(magic.slice(0, bytes.length))) {
    return `is not a gazetteer: it begins with ${JSON.stringify(bytes.toString("latin1", 0, 8))}`;
  }
  if (bytes.length < headerBytes) {
    return `is cut off: it has ${bytes.length} bytes, its header alone ${headerBytes}`;
  }
  const version = bytes.readUInt32LE(8);
  if (version !== formatVersion && version !== versionWithoutDetails) {
    const advice = "import its data again, with --fresh";
    const readable = `${versionWithoutDetails} and ${formatVersion}`;
    return `has layout version ${version}, this program reads versions ${readable}: ${advice}`;
  }
  const byteLength = bytes.readUInt32LE(12);
  if (bytes.length !== byteLength) {
    const what = bytes.length < byteLength ? "is cut off" : "has bytes after its end";
    return `${what}: it has ${bytes.length} bytes and should have ${byteLength}`;
  }
  if (checksum !== bytes.readUInt32LE(16)) {
    return "is damaged: its checksum (CRC-32) does not match its content";
  }
  // The checksum leaves out the version, which says how long the header is.
  const ownHeaderBytes = version === versionWithoutDetails ? headerBytes - 8 : headerBytes;
  if (bytes.readUInt32LE(checkedFrom) !== ownHeaderBytes) {
    return "is damaged: its header does not have the length of its version";
  }
  return undefined;
}
