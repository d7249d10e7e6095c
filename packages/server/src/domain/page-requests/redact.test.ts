import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { redactSecrets } from "./redact.ts";
import { compileSecretNames } from "./secret-names.ts";

const isSecret = compileSecretNames(["*password*", "*token", "code", "*sessionid", "aspsession*"]);

const table: readonly { rule: string; given: string; kept: string }[] = [
  {
    rule: "a secret parameter of the query",
    given: "https://a.example/p?x=1&token=abc&y=2",
    kept: "https://a.example/p?x=1&token=[redacted]&y=2",
  },
  {
    rule: "a name in other case and spelling",
    given: "/p?New-Password=a&ACCESS_TOKEN=b&new%50ass%77ord=c&ctl00$Main$txtPassword=d",
    kept: "/p?New-Password=[redacted]&ACCESS_TOKEN=[redacted]&new%50ass%77ord=[redacted]&ctl00$Main$txtPassword=[redacted]",
  },
  {
    rule: "no name that merely resembles one",
    given: "/p?postalCode=10001&promo_code=x&tokens=3&pass=1",
    kept: "/p?postalCode=10001&promo_code=x&tokens=3&pass=1",
  },
  {
    rule: "a fragment that looks like a query",
    given: "https://a.example/cb#access_token=abc&state=NY",
    kept: "https://a.example/cb#access_token=[redacted]&state=NY",
  },
  {
    rule: "the query of a fragment",
    given: "/app#/reset?token=abc&x=1",
    kept: "/app#/reset?token=[redacted]&x=1",
  },
  {
    rule: "user name and password of the host",
    given: "https://ann:pa@ss@a.example:8443/p@q?x=@",
    kept: "https://[redacted]@a.example:8443/p@q?x=@",
  },
  { rule: "no at sign of a path", given: "https://a.example/@ann", kept: "https://a.example/@ann" },
  {
    rule: "a session id in the path",
    given: "/shop;jsessionid=ABC;v=2/item;lang=en?x=1",
    kept: "/shop;jsessionid=[redacted];v=2/item;lang=en?x=1",
  },
  {
    rule: "parameters between semicolons",
    given: "?a=1;token=abc;b=2",
    kept: "?a=1;token=[redacted];b=2",
  },
  {
    rule: "a value that holds separators",
    given: "?password=a;b?c=&x=1&password=;abc&token=ab==",
    kept: "?password=[redacted]?c=&x=1&password=[redacted]&token=[redacted]",
  },
  {
    rule: "an address within the address",
    given: "/login?ReturnUrl=%2Freset%3Fx%3D1%26token%3Dabc%26y%3D2&z=3",
    kept: "/login?ReturnUrl=%2Freset%3Fx%3D1%26token%3D[redacted]%26y%3D2&z=3",
  },
  {
    rule: "malformed escapes, as far as a name can be read",
    given: "?%=1&%zz=2&%ff%74oken=abc&x=%E0%A4%A",
    kept: "?%=1&%zz=2&%ff%74oken=[redacted]&x=%E0%A4%A",
  },
  { rule: "no empty value", given: "?token=&code&x=", kept: "?token=&code&x=" },
  { rule: "every one of several", given: "code=1&code=2", kept: "code=[redacted]&code=[redacted]" },
  {
    rule: "every one of several",
    given: "?code=1&code=2",
    kept: "?code=[redacted]&code=[redacted]",
  },
  {
    rule: "a session of ASP.NET",
    given: "/(S(lit3py))/orderform.aspx",
    kept: "/(S([redacted]))/orderform.aspx",
  },
  {
    rule: "a log-in of ASP.NET",
    given: "https://a.example/(A(1)F(ab)S())/?x=(S(1))",
    kept: "https://a.example/(A([redacted])F([redacted])S())/?x=(S(1))",
  },
  {
    rule: "a session of ASP.NET, escaped",
    given: "/?ReturnUrl=%2F%28S%28lit%29%29%2Fa",
    kept: "/?ReturnUrl=%2F%28S%28[redacted]%29%29%2Fa",
  },
  {
    rule: "an address escaped twice",
    given: "?ReturnUrl=%252Freset%253Ftoken%253Dabc",
    kept: "?ReturnUrl=%252Freset%253Ftoken%253D[redacted]",
  },
  {
    rule: "an address within an address",
    given: "?r=%2Fsso%3Fnext%3D%252Freset%253Ftoken%253Dabc%26y%3D1&z=2",
    kept: "?r=%2Fsso%3Fnext%3D%252Freset%253Ftoken%253D[redacted]%26y%3D1&z=2",
  },
  {
    rule: "an address escaped three times",
    given: "?r=%25252Fa%25253Fcode%25253Dabc",
    kept: "?r=%25252Fa%25253Fcode%25253D[redacted]",
  },
  {
    rule: "a name behind an escaped separator",
    given: "?a=1%26token=abc%26b=2",
    kept: "?a=1%26token=[redacted]%26b=2",
  },
  {
    rule: "a value before an escaped equals sign",
    given: "?token%3Dabc&x=1",
    kept: "?token%3D[redacted]&x=1",
  },
  {
    rule: "what a password holds escaped",
    given: "?password=a%26b=c%3Fd&x=1",
    kept: "?password=[redacted]&x=1",
  },
  {
    rule: "userinfo within",
    given: "?next=https://ann:pa@host/x&m=a@b",
    kept: "?next=https://[redacted]@host/x&m=a@b",
  },
  {
    rule: "userinfo within, escaped",
    given: "?next=https%3A%2F%2Fann%3Apa%40host%2Fx&m=a@b",
    kept: "?next=https%3A%2F%2F[redacted]%40host%2Fx&m=a@b",
  },
  {
    rule: "JSON with a secret",
    given: "?data=%7B%22token%22%3A%22abc%22%7D&x=1",
    kept: "?data=[redacted]&x=1",
  },
  {
    rule: "no JSON without one",
    given: "?data={%22tokens%22:%22token%22}&x=1",
    kept: "?data={%22tokens%22:%22token%22}&x=1",
  },
  {
    rule: "no base64",
    given: "?x=mytoken==&y=mytoken%3D%3D",
    kept: "?x=mytoken==&y=mytoken%3D%3D",
  },
  { rule: "nothing of an empty text", given: "", kept: "" },
];

describe("redactSecrets() redacts", () => {
  for (const { rule, given, kept } of table) {
    test(`${rule}: ${given}`, () => assert.equal(redactSecrets(given, isSecret), kept));
  }
});

const addressText = fc
  .array(
    fc.constantFrom(..."?&;#/=%@:.+$\\", "%3D", "%26", "%3F", "token", "x", "é", "\ud800", "1"),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(""));

test("redactSecrets() takes any text and changes none without secret names and userinfo", () => {
  fc.assert(
    fc.property(addressText, (text) => {
      redactSecrets(text, isSecret);
      const withoutUserinfo = text.replaceAll("@", "");
      const kept = redactSecrets(withoutUserinfo, compileSecretNames(["password"]));
      assert.equal(kept, withoutUserinfo);
    }),
  );
});

test("redactSecrets() lets no value of a secret parameter through", () => {
  fc.assert(
    fc.property(addressText, fc.constantFrom("?", "&", "#", ";"), (before, separator) => {
      const kept = redactSecrets(`/?a=1${before}${separator}token=S3CRET&b=2`, isSecret);
      assert.doesNotMatch(kept, /S3CRET/);
    }),
  );
});

test("a name of more than 100 units is secret when it contains a listed word, and is not normalised", (t) => {
  const normalize = t.mock.method(String.prototype, "normalize");
  const marks = "\u0301\u0316".repeat(30_000);
  assert.equal(redactSecrets(`?${marks}=abc`, isSecret), `?${marks}=abc`);
  assert.equal(redactSecrets(`?code${marks}=abc`, isSecret), `?code${marks}=[redacted]`);
  assert.equal(normalize.mock.callCount(), 0);
});

test("redactSecrets() takes time in proportion to the text", () => {
  for (const part of [
    "?",
    ";",
    "&",
    "#a=",
    "%3D",
    "@",
    "%26token%3D",
    "token=",
    "=//",
    "/(a(",
    "a()",
    "a={%3D",
    ";a={",
    "%2526a%253D%26=",
  ]) {
    const text = `//${part.repeat(200_000)}`;
    redactSecrets(text, isSecret);
  }
});

test("a name is judged the second time, and among more names than are remembered, as it is the first", () => {
  const list = ["*token", "code"];
  const shared = compileSecretNames(list);
  const names = Array.from({ length: 1_100 }, (_, i) => `${i % 3 === 0 ? "code" : "page"}${i}x`);
  for (const name of [...names, ...names, "code", "code7", "my_token", "my_token", "code"]) {
    assert.equal(shared(name), compileSecretNames(list)(name), name);
  }
});
