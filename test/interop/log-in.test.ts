import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { endpoint } from "../server/log-in-calls.ts";
import { forms, openTestSite, password } from "../server/log-in-site.ts";
import { type SoapCall, type SoapResult, soapClients } from "./soap-clients.ts";

/** More than a double holds: the largest that the contract can say. */
const contactId = 2n ** 63n - 1n;

const site = await openTestSite();
const { recordId } = await site.addAccount("bob");
site.sql(`update accounts set contact_id = ${contactId} where record_id = ${recordId}`);
const wsdl = `${site.url}${endpoint}?wsdl`;

const logIn = (passWord: string): SoapCall => ({
  operation: "LogInUser",
  parts: { userName: "bob", passWord },
  cookie: null,
});
const tryAutoLogIn = (cookie: string | null): SoapCall => ({
  operation: "TryAutoLogIn",
  parts: { form_id: Number(forms.lax.id), applicationInstance_id: Number(forms.lax.instance.id) },
  cookie,
});

/** Members of a result; node-soap leaves out what is nil. */
const nilKept = (result: SoapResult | undefined) => ({ ErrorMessage: null, ...result?.members });

const contentTypes = { "1.1": "text/xml", "1.2": "application/soap+xml" } as const;

for (const { name, missing, longOf, cookies, run } of soapClients) {
  for (const version of ["1.1", "1.2"] as const) {
    describe(`${name}, SOAP ${version}`, { skip: missing, timeout: 60_000 }, () => {
      const isIn = {
        Contact_Id: longOf(contactId),
        ErrorMessage: null,
        Record_Id: longOf(recordId),
        Success: true,
      };

      test("a log-in with the right password answers the four members", async () => {
        const [result] = await run({ wsdl, version, calls: [logIn(password)] });
        assert.deepEqual(nilKept(result), isIn);
        assert.equal(result?.contentType, contentTypes[version]);
      });

      test("a log-in with a wrong password is an answer, not a fault", async () => {
        const [result] = await run({ wsdl, version, calls: [logIn("a loud heron")] });
        assert.match(
          String(result?.members["ErrorMessage"]),
          /^Log-in failed\. Check the user name/,
        );
        assert.deepEqual(
          { ...result?.members, ErrorMessage: "" },
          { Contact_Id: longOf(0n), ErrorMessage: "", Record_Id: longOf(0n), Success: false },
        );
        assert.deepEqual(result?.cookies, {});
      });

      test("an automatic log-in without a cookie is none", async () => {
        const [result] = await run({ wsdl, version, calls: [tryAutoLogIn(null)] });
        assert.deepEqual(result?.members, {
          Contact_Id: longOf(0n),
          ErrorMessage: "You are not logged in.",
          Record_Id: longOf(0n),
          Success: false,
        });
      });

      test("the cookie of a log-in is good for an automatic one, once the client is told to send it", async () => {
        const calls = [logIn(password), tryAutoLogIn(null)];
        const [first, next] = await run({ wsdl, version, calls });
        const value = first?.cookies["__Host-wfal"] ?? "";
        assert.match(value, /^v1\./);
        assert.equal(next?.members["Success"], cookies === "kept and sent");
        assert.deepEqual(next?.cookies, cookies === "not kept" ? {} : first?.cookies);
        const [sent] = await run({ wsdl, version, calls: [tryAutoLogIn(`__Host-wfal=${value}`)] });
        assert.deepEqual(nilKept(sent), isIn);
      });
    });
  }
}
