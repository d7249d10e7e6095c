import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { attributeOf, createXmlReader, type XmlElement } from "@wfh/server/codec/xml/reader.ts";
import { readConfig } from "@wfh/server/server/settings/config.ts";
import { readText, root } from "@wfh/server/test/source-files.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";

const folder = temporaryFolder();

test("examples/settings.toml can be used as it is", () => {
  const { config } = readConfig(`${root}examples/settings.toml`, {});
  assert.equal(config.databaseUrl, "sqlite:/var/lib/wfh/wfh.db");
});

test("examples/settings.toml can be used with every line that is commented out", () => {
  const [given = [], commented = []] = [/^WFH_.*/gm, /(?<=^# )WFH_.*=.*/gm].map((line) =>
    readText("examples/settings.toml").match(line),
  ) as string[][];
  assert.ok(commented.length > 5);
  for (const line of commented) {
    const [name = ""] = line.split(" ");
    const others = given.filter((other) => !other.startsWith(`${name} `));
    const file = join(folder, "settings.toml");
    writeFileSync(file, [...others, line].join("\n"));
    assert.ok(readConfig(file, {}), line);
  }
});

for (const unit of ["wfh", "web-forms-helper@"]) {
  test(`${unit}.service starts a server again that a reload has ended before it could handle it`, () => {
    assert.match(readText(`examples/${unit}.service`), /^RestartForceExitStatus=SIGHUP$/m);
  });
}

/** All elements of a name in an XML file, at any depth. */
function elementsOf(path: string, name: string): readonly XmlElement[] {
  const collect = (element: XmlElement): XmlElement[] => [
    ...(element.name === name ? [element] : []),
    ...element.children.flatMap(collect),
  ];
  return collect(createXmlReader()(readText(path)));
}

for (const path of ["examples/iis/httpplatform.config", "examples/iis/rewrite.config"]) {
  test(`${path} is XML, and says first that it is untested`, () => {
    assert.equal(elementsOf(path, "configuration").length, 1);
    assert.match(readText(path), /^<!-- Untested on Windows\. /);
  });
}

test("examples/iis/httpplatform.config sets settings that can be used", () => {
  const variables = elementsOf("examples/iis/httpplatform.config", "environmentVariable").map(
    (one) => [attributeOf(one, "", "name"), attributeOf(one, "", "value")],
  );
  const { WFH_PORT, ...settings } = Object.fromEntries(variables) as Record<string, string>;
  assert.equal(WFH_PORT, "%HTTP_PLATFORM_PORT%");
  const { config, warnings } = readConfig(undefined, settings);
  assert.deepEqual(warnings, []);
  assert.deepEqual(config.locationPaths, ["/Services/LocationUIHelper.asmx"]);
});

test("examples/iis/rewrite.config forwards the paths of the services, and no others", () => {
  const [match = assert.fail()] = elementsOf("examples/iis/rewrite.config", "match");
  const rule = new RegExp(attributeOf(match, "", "url") ?? "", "i");
  for (const path of [
    "api/LocationUIHelper.asmx",
    "services/webformsajaxendpoint.svc/LogInUser",
    "Services/LocationUIHelper.asmx/js",
  ]) {
    assert.match(path, rule);
  }
  for (const path of ["Default.aspx", "Services/Other.asmx", "x/api/LocationUIHelper.asmx", ""]) {
    assert.doesNotMatch(path, rule);
  }
});
