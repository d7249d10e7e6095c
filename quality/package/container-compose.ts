import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { readText, root } from "@wfh/server/test/source-files.ts";
import {
  checkHealth,
  engine,
  image,
  inspect,
  pageRequestOf,
  readStatus,
  skip,
  soap,
} from "./built-image.ts";
import { until } from "./engine.ts";
import { documentedExample } from "./install-document.ts";
import { makeComposeImages } from "./stand-in-images.ts";

/** A visitor from another network: the published ports are seen from there. */
const visitorNetwork = `
  ip netns add visitor
  ip link add visitor type veth peer name eth0 netns visitor
  ip address add 198.51.100.1/24 dev visitor
  ip link set visitor up
  ip -n visitor address add 198.51.100.7/24 dev eth0
  ip -n visitor link set eth0 up`;
const visit = (...words: readonly string[]) => {
  const options = ["--connect-to", "::198.51.100.1:", "--cacert", `wfh/tls/${host}.pem`];
  return engine.run("ip", "netns", "exec", "visitor", "curl", "-sS", ...options, ...words);
};
const host = "forms.example.org";
const site = `https://${host}`;
const isReady = () => visit("--fail", `${site}/readyz`).code === 0;
const nameOf = (service: string) => `wfh_${service}_1`;
const wfh = (...words: readonly string[]) =>
  engine.run("podman", "exec", nameOf("wfh"), "wfh", ...words);
const query = (sql: string) =>
  engine.read(
    "podman",
    "exec",
    nameOf("database"),
    "psql",
    "--username=postgres",
    "--no-align",
    "--tuples-only",
    `--command=${sql}`,
  );

test("Docker Compose accepts compose.yaml, whose image is of this version", { skip }, () => {
  engine.read("docker-compose", "--file", join(root, "examples/compose.yaml"), "config", "-q");
  assert.ok(readText("examples/compose.yaml").includes(image));
});

test("compose.yaml starts as the document says", { skip }, async () => {
  makeComposeImages(engine);
  engine.read("sh", "-ec", visitorNetwork);
  engine.script(`
    mkdir -p wfh/tls && cd wfh
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=${host} \
      -addext subjectAltName=DNS:${host} -out tls/${host}.pem -keyout tls/${host}.key
    # Debian's podman-compose makes networks without their addresses.
    podman network create --subnet 172.30.91.0/28 --ip-range 172.30.91.8/29 wfh_front`);
  engine.script(`cd wfh\n${documentedExample("compose-database.sql .")}`);
  const up = documentedExample("compose up").replace(/^.* doctor\n/m, "");
  const said = engine.script(`cd wfh\n${up}`);
  // It goes on after a container that does not start.
  assert.doesNotMatch(said, /^exit code: [^0]/m, said);
  await until(isReady);
});

test("visitors reach the server over TLS only, and are known by their address", { skip }, () => {
  const redirect = visit("--head", `http://${host}/demo?a=1`).out;
  assert.match(redirect, /^HTTP\/1\.1 301 [\s\S]*^location: https:.*\/demo\?a=1\r$/im);
  assert.match(visit(...soap, `${site}/api/LocationUIHelper.asmx`).out, /New York/);
  const spoofed = ["--header", "X-Forwarded-For: 203.0.113.9"];
  visit(...spoofed, ...pageRequestOf("7311"), `${site}/api/v1/page-requests`);
  const { out } = wfh("page-requests", "export", "--format", "csv");
  assert.match(out, /\b7311\b.*"198\.51\.100\.0\/24"/);
  for (const port of [8080, 5432]) {
    assert.notEqual(visit(`http://${host}:${port}/`).code, 0);
  }
});

test("wfh doctor finds nothing wrong behind nginx", { skip }, (t) => {
  const { code, out } = wfh("doctor");
  assert.equal(code, 0, out);
  assert.match(out, /^0 problems, 0 warnings, /m, out);
  t.diagnostic(out.trim().split("\n").at(-1) ?? "");
});

for (const service of ["wfh", "database", "nginx"]) {
  test(`${service} of compose.yaml is not root, has no rights, and writes only to its volumes`, {
    skip,
  }, () => {
    const name = nameOf(service);
    assert.equal(inspect(name, "{{.HostConfig.ReadonlyRootfs}}"), "true");
    const status = readStatus(name);
    assert.match(status, /^Uid:\t[1-9]\d+/m);
    assert.match(status, /^CapBnd:\t0+$/m);
    assert.match(status, /^NoNewPrivs:\t1$/m);
    assert.notEqual(inspect(name, "{{.HostConfig.Memory}}"), "0");
    if (service !== "nginx") assert.equal(checkHealth(name), 0);
  });
}

test("the server's role in PostgreSQL owns its database and no more", { skip }, () => {
  const roles = query("SELECT rolname, rolsuper FROM pg_roles WHERE rolcanlogin ORDER BY 1");
  assert.equal(roles, "postgres|t\nwfh|f");
  const passwords = query("SELECT usename FROM pg_shadow WHERE passwd IS NOT NULL");
  assert.equal(passwords, "wfh");
  const encoding = "pg_encoding_to_char(encoding)";
  const owner = `SELECT pg_get_userbyid(datdba), ${encoding} FROM pg_database`;
  assert.equal(query(`${owner} WHERE datname = 'wfh'`), "wfh|UTF8");
});

test("pg_dump and the reload of nginx work as the document says", { skip }, () => {
  const lines = readText("docs/install.md").replaceAll("\n  ", " ");
  const commands = [...lines.matchAll(/`(docker compose exec [^`]*)`/g)].map(([, line]) => line);
  assert.equal(commands.length, 3);
  engine.script(`cd wfh\n${commands.join("\n")}\ngrep --text -q PGDMP wfh.dump`);
});

test("the data is there after down and up", { skip }, async () => {
  engine.script("cd wfh\ndocker compose down\ndocker compose up --detach");
  await until(isReady);
  assert.match(wfh("page-requests", "export", "--format", "csv").out, /\b7311\b/);
});
