import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { readSecretKeys } from "./secret-keys.ts";
import { createTokens } from "./tokens.ts";

const [first, second] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString("base64url"));
const withKeys = (...given: readonly (string | undefined)[]) =>
  createTokens(readSecretKeys({ given: given.filter((key) => key !== undefined), file: "" }));
const tokens = withKeys(first);

test("a selector has 22 characters of base64url, a validator 43, and none comes twice", () => {
  const selectors = Array.from({ length: 100 }, () => tokens.newSelector());
  const validators = selectors.map((selector) => tokens.newValidator(selector));
  for (const selector of selectors) assert.match(selector, /^[\w-]{22}$/);
  for (const validator of validators) assert.match(validator, /^[\w-]{43}$/);
  assert.equal(new Set([...selectors, ...validators]).size, 200);
});

describe("a token that is ours", () => {
  const selector = tokens.newSelector();
  const validator = tokens.newValidator(selector);

  test("is known by its key, also by one that is no longer the current one", () => {
    assert.equal(tokens.isOurs({ selector, validator }), true);
    assert.equal(withKeys(second, first).isOurs({ selector, validator }), true);
  });
  test("is not known without the key", () => {
    assert.equal(withKeys(second).isOurs({ selector, validator }), false);
  });
  test("is not known with another selector, and not when any bit of its validator is another", () => {
    assert.equal(tokens.isOurs({ selector: tokens.newSelector(), validator }), false);
    const bytes = Buffer.from(validator, "base64url");
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const damaged = Buffer.from(bytes);
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      assert.equal(tokens.isOurs({ selector, validator: damaged.toString("base64url") }), false);
    }
  });
  test("is no other text", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        assert.equal(tokens.isOurs({ selector, validator: text }), false);
      }),
    );
  });
});

test("digest() is SHA-256", () => {
  // FIPS 180-2, appendix B.1.
  const digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  assert.equal(tokens.digest("abc"), Buffer.from(digest, "hex").toString("base64url"));
});

test("isSame() compares texts of any length", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (one, other) => {
      assert.equal(tokens.isSame(one, one), true);
      assert.equal(tokens.isSame(one, other), one === other);
    }),
  );
});

describe("a box", () => {
  const selector = tokens.newSelector();
  const validator = tokens.newValidator(selector);
  const box = tokens.seal(validator, selector);

  test("is opened for its selector", () => {
    assert.equal(tokens.open(box, selector), validator);
    assert.match(box, /^[\w-]+$/);
    assert.ok(!Buffer.from(box, "base64url").includes(validator));
  });
  test("is another one each time", () => {
    assert.notEqual(tokens.seal(validator, selector), box);
  });
  test("is not opened for another selector", () => {
    assert.equal(tokens.open(box, tokens.newSelector()), null);
    assert.equal(tokens.open(box, ""), null);
  });
  test("is not opened with another key", () => {
    assert.equal(withKeys(second).open(box, selector), null);
  });
  test("is opened with a key that is no longer the current one, which seals nothing", () => {
    const rotated = withKeys(second, first);
    assert.equal(rotated.open(box, selector), validator);
    const newBox = rotated.seal(validator, selector);
    assert.equal(rotated.open(newBox, selector), validator);
    assert.equal(tokens.open(newBox, selector), null);
  });
  test("is not opened when any of its bits is another", () => {
    const bytes = Buffer.from(box, "base64url");
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const damaged = Buffer.from(bytes);
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      assert.equal(tokens.open(damaged.toString("base64url"), selector), null);
    }
  });
  test("is not opened when it is cut or longer", () => {
    for (let length = 0; length < box.length; length++) {
      assert.equal(tokens.open(box.slice(0, length), selector), null);
    }
    assert.equal(tokens.open(`${box}A`, selector), null);
    assert.equal(tokens.open(`${box}=`, selector), null);
    assert.equal(tokens.open(`${box}AAAA`.repeat(10_000), selector), null);
  });
});

test("a text that was not sealed is not opened", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      assert.equal(tokens.open(text, "selector"), null);
    }),
  );
});

describe("the key of a name", () => {
  test("is the same for the same name and key, and tells nothing without the key", () => {
    assert.match(tokens.nameKey("ada"), /^[\w-]{43}$/);
    assert.equal(withKeys(first, second).nameKey("ada"), tokens.nameKey("ada"));
    assert.notEqual(tokens.nameKey("eve"), tokens.nameKey("ada"));
    assert.notEqual(withKeys(second).nameKey("ada"), tokens.nameKey("ada"));
    assert.notEqual(tokens.digest("ada"), tokens.nameKey("ada"));
  });
});
