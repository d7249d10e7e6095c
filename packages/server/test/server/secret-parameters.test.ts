import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSecretNames } from "../../src/domain/page-requests/secret-names.ts";
import { readConfig } from "../../src/server/settings/config.ts";

const isSecret = compileSecretNames(readConfig(undefined, {}).config.secretParameters);

const secrets =
  "password userPassword new-password password2 user[password] ctl00$Main$txtPassword passwd pwd pass passphrase token access_token id_token refresh_token csrf-token __RequestVerificationToken auth authorization api_key apiKey key secret client_secret code session sessionId jsessionid PHPSESSID sid ASPSESSIONIDQQ .ASPXAUTH signature X-Amz-Signature X-Amz-Credential sig otp pin ssn cardNumber cvv jwt SAMLResponse ticket resetCode confirmation_code oobCode activationkey subscription-key license_key client_key user_key passkey resetpass userpass pw wresult clientSecret2 token[0] code2";
for (const name of secrets.split(" ")) {
  test(`by default ${name} is the name of a secret`, () => assert.equal(isSecret(name), true));
}

const harmless =
  "postalCode zip_code countryCode promo-code state city keyword page id contactId formId author lang utm_source returnUrl sort pinned sides design date passenger secretary tokenization tokens postalcode zipcode statecode areacode promocode monkey compass keyboard encode pincode";
for (const name of harmless.split(" ")) {
  test(`by default ${name} is not`, () => assert.equal(isSecret(name), false));
}
