import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readConfig } from "@wfh/server/server/settings/config.ts";
import { readText, root } from "@wfh/server/test/source-files.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import type { Deployment } from "kubernetes-types/apps/v1.d.ts";
import type { ConfigMap, Secret, Service } from "kubernetes-types/core/v1.d.ts";
import type { PodDisruptionBudget } from "kubernetes-types/policy/v1.d.ts";
import { parseAllDocuments } from "yaml";

const path = "examples/kubernetes.yaml";

/** An object of any kind. */
interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
}

const objects = [...parseAllDocuments(readText(path), { strict: true })].map((document) => {
  assert.deepEqual([...document.errors, ...document.warnings], []);
  return document.toJS() as KubernetesObject;
});

function find<Kind>(kind: string): Kind {
  return (objects.find((one) => one.kind === kind) ?? assert.fail(kind)) as Kind;
}

const { version } = JSON.parse(readText("package.json")) as { readonly version: string };
const pod = find<Deployment>("Deployment").spec?.template.spec ?? assert.fail();
const [container = assert.fail()] = pod.containers;

/** Compiles each object as a literal of its type, which refuses a member that the type lacks. */
test(`${path} has the members and types of the API of Kubernetes`, () => {
  const types = join(root, "node_modules/kubernetes-types");
  const lines = objects.map(({ apiVersion, kind, ...rest }, index) => {
    const module = apiVersion === "v1" ? "core/v1" : apiVersion;
    const value = JSON.stringify({ apiVersion, kind, ...rest });
    return `export const value${index}: import("${types}/${module}.d.ts").${kind} = ${value};`;
  });
  const folder = temporaryFolder();
  writeFileSync(join(folder, "objects.ts"), lines.join("\n"));
  const words = ["--noEmit", "--strict", "--module", "nodenext", "--types", "", "objects.ts"];
  const options = { cwd: folder, encoding: "utf8" } as const;
  const { stdout } = spawnSync(join(root, "node_modules/.bin/tsc"), words, options);
  assert.equal(stdout, "");
});

test(`${path} has settings that the server accepts`, () => {
  const { data } = find<ConfigMap>("ConfigMap");
  const { stringData } = find<Secret>("Secret");
  const secrets = { ...stringData, WFH_SECRET_KEYS: "A".repeat(43) };
  const { warnings } = readConfig(undefined, { ...data, ...secrets });
  assert.deepEqual(warnings, []);
  const shutdownMs = 10_000 + 2 * Number(data?.["WFH_DRAIN_MS"]);
  assert.ok(Number(pod.terminationGracePeriodSeconds) * 1000 > shutdownMs);
});

test(`${path} selects the pods of the Deployment, and refers to objects that are there`, () => {
  const { labels } = find<Deployment>("Deployment").spec?.template.metadata ?? assert.fail();
  assert.deepEqual(find<Service>("Service").spec?.selector, labels);
  assert.deepEqual(find<Deployment>("Deployment").spec?.selector.matchLabels, labels);
  assert.deepEqual(find<PodDisruptionBudget>("PodDisruptionBudget").spec?.selector, {
    matchLabels: labels,
  });
  assert.deepEqual(
    container.envFrom?.map((one) => one.configMapRef?.name ?? one.secretRef?.name),
    [find<ConfigMap>("ConfigMap").metadata?.name, find<Secret>("Secret").metadata?.name],
  );
  const volumes = pod.volumes?.map(({ name }) => name);
  assert.deepEqual(
    container.volumeMounts?.map(({ name }) => name),
    volumes,
  );
  const ports = container.ports?.map(({ name }) => name);
  for (const probe of [container.readinessProbe, container.livenessProbe, container.startupProbe])
    assert.ok(ports?.includes(String(probe?.httpGet?.port)));
  assert.equal(container.image, `web-forms-helper:${version}`);
});

test(`${path} fits the strictest Pod Security Standard`, () => {
  assert.equal(pod.securityContext?.runAsNonRoot, true);
  assert.equal(pod.securityContext?.seccompProfile?.type, "RuntimeDefault");
  assert.equal(container.securityContext?.allowPrivilegeEscalation, false);
  assert.deepEqual(container.securityContext?.capabilities, { drop: ["ALL"] });
});

test("the development container has the Node.js of this checkout", () => {
  const { image } = JSON.parse(readText(".devcontainer/devcontainer.json")) as { image: string };
  const [major] = readText(".nvmrc").split(".");
  assert.match(image, new RegExp(`:${major}-`));
});
