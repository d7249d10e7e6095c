import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readText } from "@wfh/server/test/source-files.ts";
import { blocksUnder } from "../house/documents.ts";
import { takeBlock } from "./guide-blocks.ts";
import type { Machine } from "./machine.ts";

/** Part of a walk through the documents. */
export interface Part<At> {
  readonly name: string;
  run(at: At): Promise<unknown>;
}

/**
 * Puts the package and its next version on a machine, and lets npm use the test's downloads.
 *
 * @param tarball the package.
 */
export function supply(machine: Machine, tarball: string): void {
  const scratch = dirname(tarball);
  const next = join(scratch, "next");
  mkdirSync(next, { recursive: true });
  const file = join(next, "package/package.json");
  execFileSync("tar", ["-xzf", tarball, "-C", next]);
  const text = readFileSync(file, "utf8");
  const { version } = JSON.parse(text) as { readonly version: string };
  const [upgrade = ""] = blocksUnder(
    readText("docs/install.md"),
    "### Upgrade the npm package",
    "console",
  );
  const [, later = ""] = /web-forms-helper-([\d.]+)\.tgz/.exec(upgrade) ?? [];
  writeFileSync(file, text.replace(`"version": "${version}"`, `"version": "${later}"`));
  execFileSync("tar", ["-czf", join(scratch, "next.tgz"), "-C", next, "package"]);
  machine.place(tarball, `/tmp/web-forms-helper-${version}.tgz`);
  machine.place(join(scratch, "next.tgz"), `/tmp/web-forms-helper-${later}.tgz`);
  machine.write("/root/.npmrc", "offline=true\naudit=false\nfund=false\nupdate-notifier=false\n");
}

/** Makes a certificate for the public name that the machine trusts, and maps it to an address. */
export async function nameIt(machine: Machine, address: string): Promise<void> {
  await machine.run(`
    ${takeBlock("configure", "TLS certificate", 2)}
    cat /etc/ssl/forms.example.org.pem >> /etc/ssl/certs/ca-certificates.crt
    echo '${address} forms.example.org' >> /etc/hosts`);
}

/** Waits until the server is ready; else shows the end of its log. */
export const ready = `timeout 40 bash -c 'until curl -fs http://127.0.0.1:8080/readyz; do sleep 0.1; done' || { tail -n 5 /run/machine/wfh.log; exit 1; }`;

/** A script that sets settings in a file, for {@link Machine.edit}. */
export const setSettings = (lines: readonly string[]) =>
  lines
    .map((line) => {
      const [name = ""] = line.split(" ");
      return `sed -i '/^#* *${name} /d' "$1"; printf '%s\\n' '${line}' >> "$1"`;
    })
    .join("\n");

/** Settings of every public server. */
export const publicSettings = [
  'WFH_BASE_URL = "https://forms.example.org"',
  'WFH_LOCATION_NAMESPACE = "http://old.example.org/services/"',
  'WFH_ENDPOINT_NAMESPACE = "http://old.example.org/forms"',
];

/** Settings of every server. */
export const settings = "/etc/web-forms-helper/settings.toml";
/** Result of a look-up. */
export const newYork = /<City>New York<\/City>/;

/** Runs a block of a document on a machine, as it is. */
export function stepsOn(machine: Machine) {
  return (path: string, heading: string, number = 1, cwd?: string): Promise<string> =>
    machine.run(takeBlock(path, heading, number), cwd);
}

/** Installs the package and the service as docs/install.md says. */
export async function installService(machine: Machine): Promise<void> {
  const step = stepsOn(machine);
  await step("install", "Install the npm package");
  machine.edit("true");
  await step("install", "Run as a service", 1);
  await step("install", "Run as a service", 2);
}
