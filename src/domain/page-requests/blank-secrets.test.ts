import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { blankSecrets } from "./blank-secrets.ts";
import { compileSecretNames } from "./secret-names.ts";

const isSecret = compileSecretNames(["*password*", "*token", "code", "*sessionid", "aspsession*"]);

const table: readonly { rule: string; given: string; kept: string }[] = [
  {
    rule: "a secret parameter of the query",
    given: "https://a.example/p?x=1&token=abc&y=2",
    kept: "https://a.example/p?x=1&token=[blanked]&y=2",
  },
  {
    rule: "a name in other case and spelling",
    given: "/p?New-Password=a&ACCESS_TOKEN=b&new%50ass%77ord=c&ctl00$Main$txtPassword=d",
    kept: "/p?New-Password=[blanked]&ACCESS_TOKEN=[blanked]&new%50ass%77ord=[blanked]&ctl00$Main$txtPassword=[blanked]",
  },
  {
    rule: "no name that merely resembles one",
    given: "/p?postalCode=10001&promo_code=x&tokens=3&pass=1",
    kept: "/p?postalCode=10001&promo_code=x&tokens=3&pass=1",
  },
  {
    rule: "a fragment that looks like a query",
    given: "https://a.example/cb#access_token=abc&state=NY",
    kept: "https://a.example/cb#access_token=[blanked]&state=NY",
  },
  {
    rule: "the query of a fragment",
    given: "/app#/reset?token=abc&x=1",
    kept: "/app#/reset?token=[blanked]&x=1",
  },
  {
    rule: "user name and password of the host",
    given: "https://ann:pa@ss@a.example:8443/p@q?x=@",
    kept: "https://[blanked]@a.example:8443/p@q?x=@",
  },
  { rule: "no at sign of a path", given: "https://a.example/@ann", kept: "https://a.example/@ann" },
  {
    rule: "a session id in the path",
    given: "/shop;jsessionid=ABC;v=2/item;lang=en?x=1",
    kept: "/shop;jsessionid=[blanked];v=2/item;lang=en?x=1",
  },
  {
    rule: "parameters between semicolons",
    given: "?a=1;token=abc;b=2",
    kept: "?a=1;token=[blanked];b=2",
  },
  {
    rule: "a value that holds separators",
    given: "?password=a;b?c=&x=1&password=;abc&token=ab==",
    kept: "?password=[blanked]?c=&x=1&password=[blanked]&token=[blanked]",
  },
  {
    rule: "an address within the address",
    given: "/login?ReturnUrl=%2Freset%3Fx%3D1%26token%3Dabc%26y%3D2&z=3",
    kept: "/login?ReturnUrl=%2Freset%3Fx%3D1%26token%3D[blanked]%26y%3D2&z=3",
  },
  {
    rule: "malformed escapes, as far as a name can be read",
    given: "?%=1&%zz=2&%ff%74oken=abc&x=%E0%A4%A",
    kept: "?%=1&%zz=2&%ff%74oken=[blanked]&x=%E0%A4%A",
  },
  { rule: "no empty value", given: "?token=&code&x=", kept: "?token=&code&x=" },
  { rule: "every one of several", given: "code=1&code=2", kept: "code=1&code=2" },
  { rule: "every one of several", given: "?code=1&code=2", kept: "?code=[blanked]&code=[blanked]" },
  { rule: "nothing of an empty text", given: "", kept: "" },
];

describe("blankSecrets() blanks", () => {
  for (const { rule, given, kept } of table) {
    test(`${rule}: ${given}`, () => assert.equal(blankSecrets(given, isSecret), kept));
  }
});

const addressText = fc
  .array(
    fc.constantFrom(..."?&;#/=%@:.+$\\", "%3D", "%26", "%3F", "token", "x", "é", "\ud800", "1"),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(""));

test("blankSecrets() takes any text and changes none without secret names", () => {
  fc.assert(
    fc.property(addressText, (text) => {
      assert.equal(blankSecrets(text, compileSecretNames(["password"])), text);
      blankSecrets(text, isSecret);
    }),
  );
});

test("blankSecrets() lets no value of a secret parameter through", () => {
  fc.assert(
    fc.property(addressText, fc.constantFrom("?", "&", "#", ";"), (before, separator) => {
      const kept = blankSecrets(`/?a=1${before}${separator}token=S3CRET&b=2`, isSecret);
      assert.doesNotMatch(kept, /S3CRET/);
    }),
  );
});

test("blankSecrets() takes time in proportion to the text", () => {
  for (const part of ["?", ";", "&", "#a=", "%3D", "@", "%26token%3D", "token="]) {
    const text = `//${part.repeat(200_000)}`;
    blankSecrets(text, isSecret);
  }
});
