import assert from "node:assert/strict";
import { createHash, randomBytes, randomInt } from "node:crypto";
import { test } from "node:test";
import {
  formsBytes,
  formsCookie,
  machineKeys,
  macOf,
  nameOf,
  owinCookie,
  type TicketContent,
} from "../../test/log-in/legacy-tickets.ts";
import { createTicketOpener, type MachineKey } from "./legacy-ticket.ts";

const content: TicketContent = {
  userName: "Jörg 😀@example.org",
  issuedAtMs: Date.UTC(2026, 10, 22, 20),
  expiresAtMs: Date.UTC(2026, 11, 22, 20),
  isPersistent: true,
};
const kinds = [
  { kind: "forms", name: ".ASPXAUTH", make: formsCookie },
  { kind: "OWIN", name: ".AspNet.ApplicationCookie", make: owinCookie },
] as const;

for (const key of machineKeys) {
  for (const { kind, name, make } of kinds) {
    test(`a ${kind} ticket is read: ${nameOf(key)}`, () => {
      const open = createTicketOpener(key);
      for (const isPersistent of [true, false]) {
        const ticket = open(name, make(key, { ...content, isPersistent }));
        assert.match(ticket?.digest ?? "", /^[\w-]{43}$/);
        assert.deepEqual({ ...ticket, digest: "" }, { ...content, isPersistent, digest: "" });
      }
    });
  }
}

test("a ticket is the same one however its bytes are written", () => {
  const [key] = machineKeys;
  assert.ok(key);
  const open = createTicketOpener(key);
  const cookie = formsCookie(key, content);
  assert.deepEqual(open(".ASPXAUTH", cookie.toLowerCase()), open(".ASPXAUTH", cookie));
  const owin = owinCookie(key, content);
  assert.deepEqual(open(".AspNet.ApplicationCookie", `${owin}==`), open("Renamed", owin));
});

test("an OWIN ticket of another authentication type is not read", () => {
  const [key] = machineKeys;
  assert.ok(key);
  const open = createTicketOpener(key);
  const external = owinCookie(key, content, "ExternalCookie");
  assert.equal(open(".AspNet.ApplicationCookie", external), null);
  assert.equal(open(".AspNet.ExternalCookie", external)?.userName, content.userName);
});

test("a ticket for thousands of characters of name and data, and one over the limit", () => {
  const [key] = machineKeys;
  assert.ok(key);
  const open = createTicketOpener(key);
  const long = { ...content, userName: "é".repeat(3_000) };
  assert.equal(open("x", formsCookie(key, long))?.userName, long.userName);
  const tooLong = { ...content, userName: "é".repeat(4_500) };
  assert.equal(open("x", formsCookie(key, tooLong)), null);
});

/** Ways to change a cookie, as bytes, without its key. */
const forgeries: readonly ((bytes: Buffer, key: MachineKey, other: Buffer) => Buffer)[] = [
  (bytes) => {
    const at = randomInt(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << randomInt(8));
    return bytes;
  },
  (bytes) => bytes.subarray(0, randomInt(bytes.length)),
  (bytes) => bytes.subarray(1 + randomInt(bytes.length - 1)),
  (bytes) => Buffer.concat([bytes, randomBytes(1 + randomInt(32))]),
  (bytes) => {
    const other = 16 * (1 + randomInt(Math.floor(bytes.length / 16) - 1));
    const first = Buffer.from(bytes.subarray(0, 16));
    bytes.copy(bytes, 0, other, other + 16);
    first.copy(bytes, other);
    return bytes;
  },
  // The head of one ticket and the tail of another.
  (bytes, _key, other) => {
    const at = 1 + randomInt(Math.min(bytes.length, other.length) - 2);
    const joined = Buffer.concat([bytes.subarray(0, at), other.subarray(at)]);
    return joined.equals(bytes) || joined.equals(other) ? randomBytes(at) : joined;
  },
  (bytes) => randomBytes(bytes.length),
  (_bytes, { cipher }) => {
    const strange = machineKeys.filter((key) => key.cipher !== cipher);
    const key = strange[randomInt(strange.length)];
    assert.ok(key);
    return Buffer.from(formsCookie(key, content), "hex");
  },
  // Unencrypted: alone, behind a plain SHA1, and with the MAC of another key.
  () => formsBytes(content),
  () => {
    const bytes = formsBytes({ ...content, userName: `user ${randomInt(1_000_000)}` });
    return Buffer.concat([bytes, createHash("sha1").update(bytes).digest()]);
  },
  (_bytes, key) => {
    const bytes = formsBytes({ ...content, userName: `user ${randomInt(1_000_000)}` });
    return Buffer.concat([bytes, macOf({ ...key, validationKey: randomBytes(64) }, bytes)]);
  },
];

const usualCount = process.env["TEST_LEVEL"] === "full" ? 10_000 : 3_000;
/** More of them: npm run test:forged. */
const forgedCount = Number(process.env["FORGED_TICKETS"] ?? usualCount);

test(`of ${forgedCount} forged tickets none is read`, (t) => {
  const openers = machineKeys.map((key) => {
    const samples = kinds.map(({ kind, make }) =>
      [1, 2].map((number) => {
        const cookie = make(key, { ...content, userName: `user ${number}` });
        return Buffer.from(cookie, kind === "forms" ? "hex" : "base64url");
      }),
    );
    return { key, open: createTicketOpener(key), samples };
  });
  let read = 0;
  for (let tried = 0; tried < forgedCount; tried += 1) {
    const { key, open, samples } = openers[tried % openers.length] ?? {};
    const kind = kinds[randomInt(2)];
    const sample = samples?.[randomInt(2)];
    const forge = forgeries[Math.floor(tried / openers.length) % forgeries.length];
    const [one, other] = sample ?? [];
    assert.ok(key && open && kind && forge && one && other);
    const forged = forge(Buffer.from(one), key, other);
    const text = forged.toString(randomInt(2) === 0 ? "hex" : "base64url");
    if (open(kind.name, text) !== null) read += 1;
  }
  t.diagnostic(`${forgedCount} forged, ${read} read`);
  assert.equal(read, 0);
});

test("what is signed but not encrypted is not read, as protection=Validation makes it", () => {
  for (const key of machineKeys) {
    const bytes = formsBytes(content);
    const signed = Buffer.concat([bytes, macOf(key, bytes)]);
    assert.equal(createTicketOpener(key)(".ASPXAUTH", signed.toString("hex")), null);
  }
});

test("texts that are no cookie of an old server are not read", () => {
  const [key] = machineKeys;
  assert.ok(key);
  const open = createTicketOpener(key);
  for (const text of ["", "0", "00", "zz", "😀", "chunks:3", "A".repeat(1_000_000), "__proto__"]) {
    assert.equal(open(".ASPXAUTH", text), null);
  }
});
