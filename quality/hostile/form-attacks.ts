/** Hostile fields, in a query or as a form. */
export interface FormAttack {
  readonly name: string;
  /** One byte for each character. */
  readonly fields: string;
  /** True when the part is present with a readable value; undefined where either may be. */
  readonly isRead?: boolean;
}

const part = "postalCode";
const many = (count: number) => Array.from({ length: count }, (_, i) => `f${i}=`).join("&");

/** Those that fit into a target of 8 KiB, and so into a query too. */
export const shortFormAttacks: readonly FormAttack[] = [
  { name: "broken escapes", fields: `${part}=%&a=%4&%=%zz&%u0041=%u&%%%=%%%`, isRead: true },
  { name: "escapes of no UTF-8", fields: `${part}=%ff%fe%c0%af%ed%a0%80&%ff=1`, isRead: true },
  { name: "an overlong slash in a name", fields: `%c0%af=1&${part}=1`, isRead: true },
  { name: "an escaped NUL in the name", fields: `${part}%00=1`, isRead: false },
  { name: "an escaped NUL in the value", fields: `${part}=1%00`, isRead: true },
  { name: "escapes that were escaped before", fields: `${part}=%252541%25252541`, isRead: true },
  { name: "an escaped name", fields: "%70%6f%73%74%61%6c%43%6f%64%65=10001", isRead: true },
  { name: "empty names", fields: `=1&=2&==&&&&=&${part}=1`, isRead: true },
  { name: "the name without an equals sign", fields: part, isRead: false },
  {
    name: "names that objects have",
    fields: "__proto__=1&constructor=2&toString=3",
    isRead: false,
  },
  { name: "brackets of other servers", fields: `${part}[]=1&${part}[__proto__]=2`, isRead: false },
  { name: "the part 400 times", fields: `${part}=10001&`.repeat(400), isRead: true },
  { name: "1,900 fields", fields: `${part}=1&${"a=&".repeat(1_900)}`, isRead: true },
  { name: "7,500 ampersands", fields: "&".repeat(7_500), isRead: false },
  { name: "7,500 equals signs", fields: "=".repeat(7_500), isRead: false },
  { name: "7,500 percent signs", fields: `${part}=${"%".repeat(7_500)}`, isRead: true },
  { name: "7,500 plus signs", fields: `${part}=${"+".repeat(7_500)}`, isRead: true },
  { name: "a name of 7,500 characters", fields: `${"n".repeat(7_500)}=1`, isRead: false },
  {
    name: "letters that become longer in small letters",
    fields: `${"%C4%B0".repeat(1_000)}=1`,
    isRead: false,
  },
  { name: "markup", fields: `${part}=<script>alert(1)</script>`, isRead: true },
  { name: "semicolons in the place of ampersands", fields: `a=1;${part}=2`, isRead: false },
  { name: "nothing", fields: "", isRead: false },
];

const bodyMax = 65_536;

/** Those that only a body has room for. */
export const longFormAttacks: readonly FormAttack[] = [
  { name: "10,000 fields", fields: `${part}=1&${many(9_000)}`.slice(0, bodyMax), isRead: true },
  { name: "a value of 60,000 characters", fields: `${part}=${"9".repeat(60_000)}`, isRead: false },
  { name: "20,000 escapes", fields: `${part}=${"%41".repeat(20_000)}`, isRead: false },
  { name: "raw bytes of no UTF-8", fields: `${part}=${"\xff".repeat(30_000)}`, isRead: false },
  { name: "raw NULs", fields: `\0=\0&${part}=\0`, isRead: true },
  ...["&", "=", "%", "+", "a", "\0", "\xff", "a=", "=&", "%00", "%u"].map((unit) => ({
    name: `64 KiB of ${JSON.stringify(unit)}`,
    fields: unit.repeat(Math.floor(bodyMax / unit.length)),
    isRead: false,
  })),
];
