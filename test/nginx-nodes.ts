import assert from "node:assert/strict";
import { readText } from "./source-files.ts";

const example = readText("examples/nginx-nodes.conf");

/** The configuration of examples/nginx-nodes.conf for nodes and a port of a test, without TLS. */
export function nodesBlock(port: number, nodePorts: readonly number[]): string {
  const [, , parameters] = /server (192\.0\.2\.11:8080)( .*);/.exec(example) ?? assert.fail();
  const servers = nodePorts.map((node) => `server 127.0.0.1:${node}${parameters};`).join("\n");
  const changed = example
    .replace(/( *server 192\.0\.2\.\d+:8080.*;\n)+/, `${servers}\n`)
    .replace("listen 443 ssl;", `listen 127.0.0.1:${port};`)
    .replace(/ *ssl_certificate.*\n/g, "");
  assert.doesNotMatch(changed, /192\.0\.2|ssl/);
  return changed;
}
