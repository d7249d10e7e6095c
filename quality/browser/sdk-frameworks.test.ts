import assert from "node:assert/strict";
import { test } from "node:test";
import { startStubApi } from "@wfh/browser/test/stub-api.ts";
import { root } from "@wfh/server/test/source-files.ts";
import { buildSync } from "esbuild";
import { bounds, onPage } from "./chromium.ts";
import { readAddress } from "./sdk-form.ts";

const stub = await startStubApi();

/** A page with a form of a framework, and the script of the SDK. */
function frameworkPage(file: string): string {
  const { outputFiles } = buildSync({
    entryPoints: [`${root}quality/browser/${file}`],
    bundle: true,
    minify: true,
    define: {
      "process.env.NODE_ENV": '"production"',
      __VUE_OPTIONS_API__: "false",
      __VUE_PROD_DEVTOOLS__: "false",
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
    },
    write: false,
  });
  return `<!doctype html><html lang="en"><title>A form</title><main></main>
    <script defer src="/wfh.js" data-log="off"></script>
    <script type="module">${outputFiles[0]?.text.replaceAll("</script", "<\\/script")}</script>`;
}

for (const framework of ["react", "vue"]) {
  const title = `the state of ${framework} has what was filled, and keeps it when it renders again`;
  test(title, bounds, async () => {
    stub.pages["/form"] = frameworkPage(`${framework}-form.js`);
    await onPage(`${stub.url}/form`, async (tab) => {
      const expectAddress = async (zip: string, city: string, state: string) => {
        await tab.getByText(JSON.stringify({ zip, city, state })).waitFor();
        await tab.getByRole("button", { name: "Render again" }).click();
        assert.deepEqual((await readAddress(tab)).slice(0, 3), [zip, city, state]);
      };
      const zip = tab.locator("[name=zip]");
      await zip.pressSequentially("10001");
      await expectAddress("10001", "New York", "NY");
      assert.equal(await tab.getAttribute("form", "data-count"), "1");
      await zip.press("End");
      await zip.press("Backspace");
      await expectAddress("1000", "", "");
      await zip.fill("75201");
      await expectAddress("75201", "Dallas", "TX");
    });
  });
}
