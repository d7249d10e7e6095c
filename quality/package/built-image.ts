import { after } from "node:test";
import { readText, root } from "@wfh/server/test/source-files.ts";
import { type Engine, findMissingEngine, startEngine } from "./engine.ts";
import { documentedCommand } from "./install-document.ts";
import { makeBuildImages } from "./stand-in-images.ts";

/** Why the tests cannot run here; false where they can. */
export const skip = process.env["INTEROP_REQUIRED"] === undefined && findMissingEngine();

export const { version } = JSON.parse(readText("package.json")) as { readonly version: string };
/** The image as docs/install.md names it. */
export const image = `web-forms-helper:${version}`;

const lookUp = `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><PostalCodeToCityState xmlns="http://example.org/location/"><postalCode>10001</postalCode></PostalCodeToCityState></s:Body></s:Envelope>`;
/** Options of curl for a look-up. */
export const soap = ["--header", "content-type: text/xml", "--data", lookUp];
/** Options of curl for a page request of a form. */
export const pageRequestOf = (formId: string) => [
  "--header",
  "content-type: application/json",
  "--data",
  JSON.stringify({ formId }),
];

/** The engine, from the first test on. */
export let engine: Engine;
after(() => engine?.stop());

/** Starts the engine and builds the image with it. */
export async function buildImage(): Promise<void> {
  engine = await startEngine();
  const standIns = makeBuildImages(engine);
  const [, , ...build] = documentedCommand("docker build").slice(0, -1);
  engine.build(...standIns, "--format=docker", "--layers=false", ...build, root);
}

/** Runs curl on the machine of the containers. */
export const curl = (...words: readonly string[]) => engine.run("curl", "-sS", ...words);
/** A property of a container or image, in the language of the engine. */
export const inspect = (name: string, format: string) =>
  engine.read("podman", "inspect", "--format", format, name);
/** Exit code of the health check of a container. */
export const checkHealth = (name: string) => engine.run("podman", "healthcheck", "run", name).code;
/** Status of a container's process, as Linux has it. */
export const readStatus = (name: string) =>
  engine.read("cat", `/proc/${inspect(name, "{{.State.Pid}}")}/status`);
