import assert from "node:assert/strict";
import { test } from "node:test";
import { startStubApi } from "@wfh/browser/test/stub-api.ts";
import type { Page } from "playwright-core";
import { bounds, onPage } from "./chromium.ts";
import { addressFields, city, expectAddress, formPage, readAddress, zip } from "./sdk-form.ts";

const stub = await startStubApi();

/** Opens a page with a form, and waits for the script. */
async function onForm(html: string, use: (tab: Page) => Promise<void>): Promise<void> {
  stub.pages["/form"] = html;
  await onPage(`${stub.url}/form`, async (tab) => {
    await tab.waitForFunction("window.wfh");
    await use(tab);
  });
}

/** Declares a test of a page with a form. */
function testForm(title: string, html: string, use: (tab: Page) => Promise<void>): void {
  test(title, bounds, () => onForm(html, use));
}

test("the last digit fills city, state and country", bounds, async () => {
  stub.received.length = 0;
  await onForm(formPage(), async (tab) => {
    await tab.locator(zip).pressSequentially("10001");
    await expectAddress(tab, "10001", "New York", "NY", "US");
    assert.equal(await tab.getByRole("status").textContent(), "Filled in: New York, New York");
  });
  const lookUps = stub.received.filter(({ path }) => path.includes("/places"));
  assert.deepEqual(
    lookUps.map(({ path }) => path),
    ["/api/v1/places/US/10001"],
  );
});

testForm("another code clears what was filled at its first key", formPage(), async (tab) => {
  await tab.locator(zip).fill("10001");
  await expectAddress(tab, "10001", "New York", "NY", "US");
  await tab.locator(zip).press("Backspace");
  await expectAddress(tab, "1000", "", "", "");
  await tab.locator(zip).pressSequentially("2");
  await expectAddress(tab, "10002", "New York", "NY", "US");
});

testForm("a typed city is kept, and another one is offered", formPage(), async (tab) => {
  await tab.locator(city).fill("Boston");
  await tab.locator(zip).pressSequentially("75201");
  const offer = tab.getByRole("button", { name: "Use Dallas, Texas" });
  await offer.waitFor();
  assert.equal(await tab.getByRole("status").textContent(), "75201 is Dallas, Texas");
  assert.deepEqual(await readAddress(tab), ["75201", "Boston", "TX", "US"]);
  await offer.focus();
  await tab.keyboard.press("Enter");
  await expectAddress(tab, "75201", "Dallas", "TX", "US");
  assert.equal(await tab.evaluate("document.activeElement.name"), "city");
});

testForm(
  "a city that differs is noticed when the visitor leaves it, and no more once it is right",
  formPage(),
  async (tab) => {
    await tab.locator(zip).fill("75201");
    await expectAddress(tab, "75201", "Dallas", "TX", "US");
    await tab.locator(city).fill("Fort Worth");
    assert.equal(await tab.getByText("75201 is").count(), 0);
    await tab.locator(city).blur();
    await tab.getByText("75201 is Dallas, Texas").waitFor();
    await tab.locator(city).fill("DALLAS");
    await tab.locator(city).blur();
    await tab.getByText("75201 is").waitFor({ state: "detached" });
    assert.equal(await tab.getByRole("button", { name: "Use" }).count(), 0);
  },
);

testForm("a state that differs is noticed, and the rest is filled", formPage(), async (tab) => {
  await tab.locator('[name="state"]').focus();
  await tab.keyboard.type("NY");
  await tab.locator(zip).fill("75201");
  await tab.getByText("75201 is Dallas, Texas").waitFor();
  await expectAddress(tab, "75201", "Dallas", "NY", "US");
});

testForm(
  "where no place of a code fits, what all of them have is filled",
  formPage(),
  async (tab) => {
    await tab.locator(city).fill("Boston");
    await tab.locator(zip).fill("75001");
    await tab.getByText("75001 is Addison, Texas / Dallas, Texas").waitFor();
    await expectAddress(tab, "75001", "Boston", "TX", "US");
  },
);

const states = '<option value="4">Alaska</option><option value="43">Texas</option>';
/** Lists of states without a choice, as ASP.NET writes them, and the value that they begin with. */
const aspNetLists = {
  "a hint of the value 0": ['<option value="0">-- Select --</option>', "0"],
  "a hint of the value -1 that is marked": [
    '<option selected="selected" value="-1">Select a state</option>',
    "-1",
  ],
  "a hint of no value": ['<option value="">(none)</option>', ""],
  "the first state": ['<option value="1">Alabama</option>', "1"],
} as const;
for (const [title, [first, value]] of Object.entries(aspNetLists)) {
  const list = addressFields.replace(
    /<option value="">Choose…<.option>\s*<option value="NY".*Yukon Territory<.option>/s,
    first + states,
  );
  testForm(
    `a list that begins with ${title} is filled and cleared`,
    formPage(list),
    async (tab) => {
      await expectAddress(tab, "", "", value, "");
      await tab.locator(zip).fill("75201");
      await expectAddress(tab, "75201", "Dallas", "43", "US");
      await tab.locator(zip).press("Backspace");
      await expectAddress(tab, "7520", "", value, "");
      await tab.locator('[name="state"]').selectOption("4");
      await tab.locator(zip).fill("75201");
      await expectAddress(tab, "75201", "Dallas", "4", "US");
    },
  );
}

testForm(
  "a first state that the page has chosen is kept",
  formPage(
    addressFields.replace(/<option value="">Choose…<.option>\s*<option/, "<option selected"),
  ),
  async (tab) => {
    await tab.locator(zip).fill("75201");
    await expectAddress(tab, "75201", "Dallas", "NY", "US");
  },
);

const usFirst = /<option value="">Choose…<.option>\s*(?=<option value="US")/;
for (const country of ["US", "CA"]) {
  const attribute = country === "CA" ? 'data-wfh-country="CA"' : "";
  testForm(
    `a list that begins with the US is one of ${country} if the form says ${attribute || "nothing"}`,
    formPage(addressFields.replace(usFirst, "")).replace('data-wfh-country="US"', attribute),
    async (tab) => {
      const asked = tab.waitForRequest(/places/);
      await tab.locator(zip).pressSequentially(country === "CA" ? "Y1A 1A1" : "10001");
      assert.match((await asked).url(), new RegExp(`/places/${country}/`));
      await tab.getByText("Filled in").waitFor();
      assert.equal((await readAddress(tab))[3], country);
    },
  );
}

testForm("a city that the visitor has emptied stays empty", formPage(), async (tab) => {
  await tab.locator(zip).fill("75201");
  await expectAddress(tab, "75201", "Dallas", "TX", "US");
  await tab.locator(city).fill("");
  await tab.locator(zip).fill("10001");
  await expectAddress(tab, "10001", "", "NY", "US");
});

testForm("a typed city that has the code decides between its places", formPage(), async (tab) => {
  await tab.locator(city).fill("DALLAS");
  await tab.locator(zip).fill("75001");
  await expectAddress(tab, "75001", "DALLAS", "TX", "US");
});

testForm(
  "a place that was chosen goes with its code, though keys have changed the city before",
  formPage(),
  async (tab) => {
    await tab.locator(zip).fill("75001");
    await expectAddress(tab, "75001", "Addison", "TX", "US");
    await tab.locator(city).fill("Dallas");
    // Without leaving the city, as assistive software may.
    await tab.evaluate(`(() => {
      const list = document.querySelector(".wfh-panel select");
      list.selectedIndex = 1;
      list.dispatchEvent(new Event("change", { bubbles: true }));
    })()`);
    await tab.locator(zip).fill("7500");
    await expectAddress(tab, "7500", "", "", "");
  },
);

testForm("a list offers the other places of a code, by keyboard too", formPage(), async (tab) => {
  await tab.locator(zip).fill("75001");
  await expectAddress(tab, "75001", "Addison", "TX", "US");
  const list = tab.getByRole("combobox", { name: "Places:" });
  await list.focus();
  await tab.keyboard.press("ArrowDown");
  await expectAddress(tab, "75001", "Dallas", "TX", "US");
});

test("the styles of a page do not show what there is not", bounds, async () => {
  const style = "<style>label, button, select { display: block }</style>";
  await onForm(formPage() + style, async (tab) => {
    await tab.locator(zip).fill("10001");
    await expectAddress(tab, "10001", "New York", "NY", "US");
    const panel = tab.locator(".wfh-panel");
    assert.equal(await panel.innerText(), "Filled in: New York, New York");
  });
});

testForm("a code that no place has is announced", formPage(), async (tab) => {
  await tab.locator(zip).fill("99999");
  await tab.getByText("No place has the code 99999").waitFor();
  assert.deepEqual(await readAddress(tab), ["99999", "", "", ""]);
});

testForm(
  "a code that is too short for its country is announced when the visitor leaves it",
  formPage().replace('country="US"', 'country="CA"'),
  async (tab) => {
    await tab.locator(zip).pressSequentially("10001");
    await tab.locator(zip).blur();
    await tab.getByText("No place has the code 10001").waitFor({ timeout: 5_000 });
    assert.deepEqual(await readAddress(tab), ["10001", "", "", ""]);
  },
);

test("only what the form holds is announced as filled in", bounds, async () => {
  const withoutTexas = addressFields.replace('<option value="TX">Texas</option>', "");
  await onForm(formPage(withoutTexas), async (tab) => {
    await tab.locator(zip).fill("75201");
    await expectAddress(tab, "75201", "Dallas", "", "US");
    assert.equal(await tab.getByRole("status").textContent(), "Filled in: Dallas");
  });
  const onlyCountry = addressFields.replace(/<label>(?:City|State).*<\/label>/gs, (fields) =>
    fields.slice(fields.indexOf("<label>Country")),
  );
  await onForm(formPage(onlyCountry), async (tab) => {
    await tab.locator(zip).fill("75201");
    await expectAddress(tab, "75201", "", "", "US");
    assert.equal(await tab.getByRole("status").textContent(), "Filled in: United States");
  });
});

testForm(
  "what a browser fills without keys is kept, and nothing is offered",
  formPage(),
  async (tab) => {
    await tab.evaluate(`(() => {
      for (const [name, value] of Object.entries({ zip: "75201", city: "Highland Park", state: "TX", country: "US" })) {
        const field = document.querySelector(\`[name=\${name}]\`);
        field.value = value;
        for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
      }
    })()`);
    await tab.waitForTimeout(200);
    assert.deepEqual(await readAddress(tab), ["75201", "Highland Park", "TX", "US"]);
    assert.equal(await tab.getByRole("button", { name: /Use/ }).count(), 0);
  },
);

testForm(
  "a code that the page sets without an event is never sent with an older city",
  formPage(),
  async (tab) => {
    await tab.locator(zip).fill("75201");
    await expectAddress(tab, "75201", "Dallas", "TX", "US");
    await tab.evaluate(`document.querySelector("[name=zip]").value = "10001"`);
    await tab.evaluate("document.forms[0].submit()");
    await tab.waitForURL(/sent/);
    assert.equal(new URL(tab.url()).search, "?zip=10001&city=&state=&country=");
  },
);

test("a look-up that has met a problem is repeated, and the page goes on", bounds, async () => {
  const { respond } = stub;
  let isBusy = true;
  stub.respond = ({ path }, response) => {
    const isRefused = isBusy && path.startsWith("/api/v1/places");
    if (isRefused)
      response.writeHead(503, { "Content-Type": "application/problem+json" }).end("{}");
    isBusy &&= !isRefused;
    return isRefused;
  };
  await onForm(formPage(), async (tab) => {
    const errors: string[] = [];
    tab.on("pageerror", ({ message }) => errors.push(message));
    await tab.locator(zip).fill("75201");
    await tab.locator(zip).blur();
    await expectAddress(tab, "75201", "Dallas", "TX", "US");
    assert.deepEqual(errors, []);
  });
  stub.respond = respond;
});

testForm("a reset begins anew", formPage(), async (tab) => {
  await tab.locator(city).fill("Boston");
  await tab.evaluate("document.forms[0].reset()");
  await tab.locator(zip).fill("10001");
  await expectAddress(tab, "10001", "New York", "NY", "US");
});

test(
  "a visitor who comes back finds the form as it was, and a new code clears it",
  bounds,
  async () => {
    stub.pages["/elsewhere"] = "<!doctype html><title>Elsewhere</title>";
    await onForm(formPage(), async (tab) => {
      await tab.locator(zip).fill("75201");
      await expectAddress(tab, "75201", "Dallas", "TX", "US");
      await tab.goto(`${stub.url}/elsewhere`);
      await tab.goBack();
      await tab.waitForFunction("window.wfh");
      await expectAddress(tab, "75201", "Dallas", "TX", "US");
      await tab.locator(zip).press("End");
      await tab.locator(zip).press("Backspace");
      await expectAddress(tab, "7520", "", "", "");
    });
  },
);

testForm("what an older script remembers in the tab is read", formPage(), async (tab) => {
  await tab.evaluate(
    `sessionStorage["wfh /formzip"] = JSON.stringify({ key: "US75201", written: { city: null } })`,
  );
  await tab.reload();
  await tab.locator(zip).fill("75201");
  await expectAddress(tab, "75201", "Dallas", "TX", "US");
});

testForm(
  "forms and lists that come later are filled too",
  "<!doctype html><script src=/wfh.js data-log=off></script><div id=app></div>",
  async (tab) => {
    const form = `<form data-wfh data-wfh-country="US">${addressFields.replace(/<option value="(?:NY|TX|YT)">[^<]*<.option>/g, "")}</form>`;
    await tab.evaluate(`document.querySelector("#app").innerHTML = ${JSON.stringify(form)}`);
    await tab.locator(zip).fill("75201");
    await expectAddress(tab, "75201", "Dallas", "", "US");
    await tab.evaluate(`document.querySelector("[name=state]").append(new Option("Texas", "17"))`);
    await expectAddress(tab, "75201", "Dallas", "17", "US");
  },
);

test("the custom element and a function call fill what they surround", bounds, async () => {
  const element = `<wfh-postal-code data-wfh-country="US">${addressFields}</wfh-postal-code>`;
  await onForm(
    `<!doctype html><script defer src=/wfh.js data-log=off></script><form>${element}</form>`,
    async (tab) => {
      await tab.locator(zip).fill("10001");
      await expectAddress(tab, "10001", "New York", "NY", "US");
    },
  );
  const plain =
    '<form><input name="zip" id="z"><input name="city" id="c"><input name="state" maxlength="2"></form>';
  await onForm(
    `<!doctype html><script defer src=/wfh.js data-log=off></script>${plain}`,
    async (tab) => {
      const options = `{ country: "US", fields: { "postal-code": "#z", city: "#c", state: "[name=state]" } }`;
      await tab.evaluate(`window.filling = wfh.autofill(document.forms[0], ${options}); 0`);
      await tab.locator(zip).fill("10001");
      await expectAddress(tab, "10001", "New York", "NY", "");
      await tab.evaluate("filling.stop()");
      await tab.locator(zip).fill("75201");
      await tab.waitForTimeout(100);
      assert.deepEqual(await readAddress(tab), ["75201", "New York", "NY", ""]);
    },
  );
});

/** A page that renders its fields from a model after each event, as React does. */
const controlled = `<script>
const model = { zip: "", city: "", state: "", country: "" };
const setterOf = (field) => Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value").set;
const render = () => {
  for (const field of document.querySelectorAll("[name]")) setterOf(field).call(field, model[field.name]);
};
addEventListener("DOMContentLoaded", () => {
  for (const field of document.querySelectorAll("[name]")) {
    // React knows by a setter of its own which values come from itself.
    Object.defineProperty(field, "value", { get: () => model[field.name], set: (value) => { model[field.name] = value; } });
  }
  document.forms[0].addEventListener("input", ({ target }) => {
    model[target.name] = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(target), "value").get.call(target);
    render();
  });
});
</script>`;

testForm(
  "a page that renders its fields from a model keeps every key, and the model is right",
  controlled + formPage(),
  async (tab) => {
    await tab.locator(zip).pressSequentially("75201");
    await expectAddress(tab, "75201", "Dallas", "TX", "US");
    await tab.locator(zip).press("Backspace");
    await expectAddress(tab, "7520", "", "", "");
    await tab.locator(zip).pressSequentially("1");
    await expectAddress(tab, "75201", "Dallas", "TX", "US");
    await tab.locator(city).fill("Boston");
    await tab.locator(zip).fill("10001");
    await expectAddress(tab, "10001", "Boston", "NY", "US");
  },
);
