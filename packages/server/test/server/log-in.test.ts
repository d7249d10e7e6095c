import assert from "node:assert/strict";
import { test } from "node:test";
import type { Form } from "../../src/domain/log-in/form.ts";
import { carriers, cookieFate, cookieOf, overJson, send, withFields } from "./log-in-calls.ts";
import { forms, openTestSite, password } from "./log-in-server.ts";

const site = await openTestSite({ WFH_TRUSTED_PROXIES: "127.0.0.1" });
const bob = await site.addAccount("bob");

const policies: readonly { readonly form: Form; readonly attributes: readonly string[] | null }[] =
  [
    { form: forms.lax, attributes: ["SameSite=Lax", "Max-Age=1209600"] },
    { form: forms.strict, attributes: ["SameSite=Strict"] },
    { form: forms.none, attributes: ["SameSite=None", "Partitioned", "Max-Age=1209600"] },
    { form: forms.off, attributes: null },
  ];

for (const carrier of carriers) {
  for (const { form, attributes } of policies) {
    const { remembering, sameSite } = form.instance;
    test(`${carrier.name}: a log-in sets the cookie of the policy ${remembering}, ${sameSite}`, async () => {
      const call = carrier.call("LogInUser", { userName: " BOB ", passWord: password });
      const response = await send(site.url, withFields(call, ["Origin", form.origins[0] ?? ""]));
      assert.equal(response.status, 200);
      assert.deepEqual(carrier.read(response), {
        contactId: bob.contactId,
        message: null,
        recordId: bob.recordId,
        isSuccess: true,
      });
      assert.deepEqual(response.valuesOf("cache-control"), ["no-store"]);
      assert.deepEqual(response.valuesOf("vary").toSorted(), ["Cookie", "Origin"]);
      assert.deepEqual(response.valuesOf("access-control-allow-origin"), form.origins);
      assert.deepEqual(response.valuesOf("access-control-allow-credentials"), ["true"]);
      assert.deepEqual(response.valuesOf("retry-after"), []);
      if (attributes === null) return assert.deepEqual(response.valuesOf("set-cookie"), []);
      const [, ...given] = response.valuesOf("set-cookie")[0]?.split("; ") ?? [];
      assert.deepEqual(
        given.toSorted(),
        ["Path=/", "Secure", "HttpOnly", ...attributes].toSorted(),
      );
      assert.match(cookieOf(response), /^__Host-wfal=v1\./);
    });
  }
}

test("each log-in has a cookie of its own", async () => {
  const cookies = await Promise.all(
    carriers.map(async (carrier) =>
      cookieOf(
        await send(site.url, carrier.call("LogInUser", { userName: "bob", passWord: password })),
      ),
    ),
  );
  assert.equal(new Set(cookies).size, carriers.length);
});

for (const from of carriers) {
  for (const to of carriers) {
    test(`a log-in over ${from.name} is remembered over ${to.name}`, async () => {
      const { url } = site;
      const logIn = from.call("LogInUser", { userName: "bob", passWord: password });
      const cookie = cookieOf(await send(url, logIn));
      const ids = { form_id: 1, applicationInstance_id: 10 };
      const again = withFields(to.call("TryAutoLogIn", ids), ["Cookie", cookie]);
      const response = await send(url, again);
      assert.deepEqual(to.read(response), {
        contactId: bob.contactId,
        message: null,
        recordId: bob.recordId,
        isSuccess: true,
      });
      assert.equal(cookieFate(response), "kept");
      assert.deepEqual(response.valuesOf("cache-control"), ["no-store"]);
      assert.deepEqual(response.valuesOf("vary").toSorted(), ["Cookie", "Origin"]);
    });
  }
}

test("a log-in ends the session that the caller came with, and takes nothing of it over", async () => {
  const logIn = overJson.call("LogInUser", { userName: "bob", passWord: password });
  const first = cookieOf(await send(site.url, logIn));
  const second = cookieOf(await send(site.url, withFields(logIn, ["Cookie", first])));
  const ask = async (cookie: string) => {
    const call = overJson.call("TryAutoLogIn", { form_id: 1, applicationInstance_id: 10 });
    return overJson.read(await send(site.url, withFields(call, ["Cookie", cookie]))).isSuccess;
  };
  assert.notEqual(first.split(".")[1], second.split(".")[1]);
  assert.equal(await ask(second), true);
  assert.equal(await ask(first), false);
});

test("a log-in with a planted cookie that is not ours sets one that is", async () => {
  const logIn = overJson.call("LogInUser", { userName: "bob", passWord: password });
  const planted = `__Host-wfal=v1.${"A".repeat(22)}.${"A".repeat(43)}`;
  const cookie = cookieOf(await send(site.url, withFields(logIn, ["Cookie", planted])));
  assert.doesNotMatch(cookie, /A{22}/);
});
