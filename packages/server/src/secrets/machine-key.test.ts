import assert from "node:assert/strict";
import { test } from "node:test";
import { readMachineKey } from "./machine-key.ts";
import { SecretKeyError } from "./secret-keys.ts";

const validationKey = "0123456789abcdefABCD".repeat(4);
const decryptionKey = "00FF".repeat(16);
const keys = `validationKey="${validationKey}" decryptionKey="${decryptionKey}"`;
const element = (attributes: string, given = keys) => `<machineKey ${given} ${attributes}/>`;
const usual = 'validation="HMACSHA256" decryption="AES" compatibilityMode="Framework45"';
const config = (inside: string, root = "<configuration>") =>
  `\ufeff<?xml version="1.0" encoding="utf-8"?>\n<!-- of the old server -->\n${root}<system.web>${inside}</system.web></configuration>`;

test("readMachineKey() reads the element alone", () => {
  assert.deepEqual(readMachineKey(element(usual)), {
    machineKey: {
      mode: "Framework45",
      hash: "sha256",
      cipher: "AES",
      validationKey: Buffer.from(validationKey, "hex"),
      decryptionKey: Buffer.from(decryptionKey, "hex"),
    },
    name: ".ASPXAUTH",
    path: "/",
    domain: "",
  });
});

test("readMachineKey() reads a web.config, with the cookie of its forms", () => {
  const forms =
    '<authentication mode="Forms"><forms name="old" path="/app" domain="example.org" protection="All"/></authentication>';
  const root = '<configuration xmlns="http://schemas.microsoft.com/.NetConfiguration/v2.0">';
  const read = readMachineKey(config(forms + element(usual), root));
  assert.deepEqual(
    { ...read, machineKey: null },
    {
      machineKey: null,
      name: "old",
      path: "/app",
      domain: "example.org",
    },
  );
});

const modes = [
  ["2.0 has no targetFramework", "<httpRuntime/>", "", "Framework20"],
  ["4.0", '<httpRuntime targetFramework="4.0"/>', "", "Framework20"],
  ["4.5", '<httpRuntime targetFramework="4.5"/>', "", "Framework45"],
  ["4.8.1", '<httpRuntime targetFramework="4.8.1"/>', "", "Framework45"],
  [
    "of the application, not of a path",
    '<location path="upload"><system.web><httpRuntime/></system.web></location><httpRuntime targetFramework="4.8"/>',
    "",
    "Framework45",
  ],
  [
    "machineKey wins",
    '<httpRuntime targetFramework="4.8"/>',
    'compatibilityMode="Framework20SP1"',
    "Framework20",
  ],
  ["SP2", "", 'compatibilityMode="Framework20SP2"', "Framework20"],
] as const;
for (const [name, runtime, attribute, mode] of modes) {
  test(`readMachineKey() finds the mode: ${name}`, () => {
    const text = config(runtime + element(`validation="SHA1" ${attribute}`));
    assert.equal(readMachineKey(text).machineKey.mode, mode);
  });
}

const of45 = 'compatibilityMode="Framework45"';
const refused: readonly (readonly [name: string, text: string, message: RegExp])[] = [
  ["no XML", "keys", /^not well-formed XML in UTF-8 at line 1, column \d+$/],
  ["a document type", `<!DOCTYPE a>${element(usual)}`, /^not well-formed XML/],
  ["no machineKey", config(""), /^no machineKey: .* generates it .* Set fixed keys/],
  [
    "a machineKey in another file",
    config('<machineKey configSource="keys.config"/>'),
    /^the machineKey is in "keys\.config" of the old server: copy it from there/,
  ],
  ["two machineKeys", config(element(usual) + element(usual)), /^several machineKey elements/],
  [
    "generated keys",
    element(usual, 'validationKey="AutoGenerate,IsolateApps" decryptionKey="AutoGenerate"'),
    /^machineKey has no fixed validationKey: .* Set fixed keys/,
  ],
  [
    "keys of each application",
    element(usual, `${keys.replace('" ', ',IsolateApps" ')}`),
    /no fixed validationKey/,
  ],
  ["no keys", element(usual, ""), /no fixed validationKey/],
  ["half a byte", element(usual, keys.replace("0123", "123")), /^the validationKey is not 32 to/],
  ["other letters", element(usual, keys.replace("0123", "xyz0")), /^the validationKey is not 32/],
  ["a short key", element(usual, keys.replace(decryptionKey, "00FF")), /^the decryptionKey is not/],
  [
    "a key of no size of AES",
    element(usual, keys.replace(decryptionKey, "00".repeat(20))),
    /^the decryptionKey has 20 bytes; AES needs 16 or 24 or 32$/,
  ],
  [
    "a long key of 3DES",
    element(`validation="SHA1" decryption="3DES" ${of45}`),
    /^the decryptionKey has 32 bytes; 3DES needs 16 or 24$/,
  ],
  ["MD5", element(`validation="MD5" ${of45}`), /the validation "MD5", not one of SHA1, HMACSHA256/],
  ["3DES to validate", element(`validation="3DES" ${of45}`), /the validation "3DES"/],
  [
    "no validation",
    element(of45),
    /^machineKey has no validation: add .* HMACSHA256 since \.NET 4/,
  ],
  ["DES", element(`validation="SHA1" decryption="DES" ${of45}`), /the decryption "DES"/],
  ["a member of objects", element(`validation="constructor" ${of45}`), /"constructor"/],
  [
    "no mode",
    element('validation="SHA1"'),
    /no compatibilityMode: add .*\(Framework45 if .* 4\.5 or later, else Framework20SP1\)\./,
  ],
  [
    "a data protector",
    element(`${usual} dataProtectorType="A.B"`),
    /has a dataProtectorType: decrypt it/,
  ],
  [
    "an encrypted section",
    config('<machineKey configProtectionProvider="Rsa"><EncryptedData/></machineKey>'),
    /^the machineKey is encrypted .*aspnet_regiis/,
  ],
  [
    "cookies that are not encrypted",
    config(
      `<authentication><forms protection="Validation"/></authentication>${element('validation="SHA1" compatibilityMode="Framework20SP1"')}`,
    ),
    /^forms has a protection other than All/,
  ],
  [
    "a cookie with another attribute in its path",
    config(`<authentication><forms path="/; Secure"/></authentication>${element(usual)}`),
    /^forms has the path "\/; Secure": no cookie can have it$/,
  ],
];
for (const [name, text, message] of refused) {
  test(`readMachineKey() refuses ${name}, and says nothing of a key`, () => {
    assert.throws(
      () => readMachineKey(text),
      (error) => {
        assert.ok(error instanceof SecretKeyError);
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /abcdef|00FF/);
        return true;
      },
    );
  });
}
