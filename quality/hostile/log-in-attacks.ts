/** Name of the account that is attacked: letters with marks, a ligature and one beyond 16 bits. */
export const userName = "Zoë Ångström ﬁ 𝐀 iris";

/** Other ways to write the same name (decision 0021). */
export const sameNames: readonly (readonly [what: string, name: string])[] = [
  ["NFC", userName.normalize("NFC")],
  ["NFD", userName.normalize("NFD")],
  ["NFKC", userName.normalize("NFKC")],
  ["NFKD", userName.normalize("NFKD")],
  ["capitals", userName.toUpperCase()],
  ["small letters", userName.toLowerCase()],
  ["the sign of Ångström for its letter", userName.replace("Å", "\u212b")],
  ["letters of full width", userName.replace("Z", "Ｚ")],
  ["blanks around", ` \u3000${userName}\u00a0\t`],
];

/** More letters than a name or password may have; escaped in JSON they still fit a log-in. */
export const long = 1_201;

/** Names that look like it, or are meant to upset the server. */
export const otherNames: readonly (readonly [what: string, name: string])[] = [
  ["a Cyrillic letter for a Latin one", userName.replace("o", "о")],
  ["a Greek capital for a Latin one", userName.replace("Z", "Ζ")],
  ["a space of no width within", userName.replace("Z", "Z\u200b")],
  ["a joiner within", userName.replace("Z", "Z\u200d")],
  ["a soft hyphen within", userName.replace("Z", "Z\u00ad")],
  ["a mark of byte order before", `\ufeff\u200b${userName}`],
  ["letters turned around", `\u202e${[...userName].reverse().join("")}\u202c`],
  ["isolated letters", `\u2066${userName}\u2069`],
  ["a mark too many", userName.replace("Z", "Z\u0301")],
  ["1,000 marks on one letter", `Z${"\u0301".repeat(500)}`],
  ["a variation selector", `${userName}\ufe0f`],
  ["a tag of a language", `${userName}\u{e0065}`],
  ["a dotless i", userName.replace("i", "ı")],
  ["half a surrogate pair", `${userName}\ud835`],
  ["a NUL behind", `${userName}\0`],
  ["a line end within", userName.replace(" ", "\r\n")],
  ["a character of private use", `${userName}\ue000`],
  ["what is no character", `${userName}\uffff`],
  ["a letter of 18 in NFKC, 341 times", "\ufdfa".repeat(341)],
  ["1,201 letters", "a".repeat(long)],
  ["1,201 letters of 18 in NFKC", "\ufdfa".repeat(long)],
  ["1,201 marks", "\u0301".repeat(long)],
  ["1,201 halves of pairs", "\ud835".repeat(long)],
  ["1,201 NULs", "\0".repeat(long)],
  ["1,201 blanks", " ".repeat(long)],
  ["a query", `' OR 1=1; DROP TABLE accounts; --`],
  ["a pattern", "%"],
  ["the name of every object", "__proto__"],
  ["a path", "../../etc/passwd\0.html"],
  ["a formula", '=HYPERLINK("http://x/","y")'],
  ["an entry of the log", `x","level":"error","msg":"forged`],
];

const name = "__Host-wfal";
const selector = `${"A".repeat(21)}A`;
const validator = `${"A".repeat(42)}A`;
const wellFormed = `${name}=v1.${selector}.${validator}`;

/** Values of the Cookie field that log no visitor in. */
export const cookies: readonly (readonly [what: string, value: string])[] = [
  ["one of no session", wellFormed],
  ["nothing", ""],
  ["a name without a value", name],
  ["an empty value", `${name}=`],
  ["another version", wellFormed.replace("v1", "v2")],
  ["no version", `${name}=${selector}.${validator}`],
  ["a part too many", `${wellFormed}.A`],
  ["a part too few", `${name}=v1.${selector}`],
  ["bits that no byte fills", wellFormed.replace(/A$/, "B")],
  ["a character too many", `${wellFormed}A`],
  ["base64 of another alphabet", wellFormed.replace("AAAA", "+/==")],
  ["quotes around", wellFormed.replace("=", '="').concat('"')],
  ["blanks around", `  ${wellFormed}  `],
  ["two of them", `${wellFormed}; ${wellFormed}`],
  ["600 of them", `${wellFormed};`.repeat(150)],
  ["another case of its name", wellFormed.toLowerCase()],
  ["a name that begins like it", wellFormed.replace(name, `${name}x`)],
  ["equals signs", "=".repeat(10_000)],
  ["semicolons", ";".repeat(10_000)],
  ["blanks", `a=${" ".repeat(10_000)}b`],
  ["a value of 10,000 characters", `${name}=v1.${"A".repeat(10_000)}`],
  ["letters beyond ASCII", `${name}=v1.\xff\xfe\x80`],
  ["escapes", `${name}=v1%2e${selector}%2e${validator}`],
  ["a comma between", `${wellFormed}, ${wellFormed}`],
  ["an attribute", `$Version=1; ${wellFormed}; $Path=/`],
];
