import assert from "node:assert/strict";
import { readText } from "@wfh/server/test/source-files.ts";

/** Tests listen on IPv4 only. */
const example = readText("examples/nginx.conf").replace(/ *listen \[::\].*\n/g, "");
const routeExample = readText("examples/nginx-route.conf");
const nodesExample = readText("examples/nginx-nodes.conf");
const operatorExample = readText("examples/nginx-operator.conf");
const upstream = /^upstream wfh \{[\s\S]*?^\}\n/m;

/** Values that an operator fills in, and the ports of a test. */
interface FilledIn {
  readonly host: string;
  /** Port of HTTPS, and of HTTP where it redirects. */
  readonly port: number;
  readonly plainPort: number;
  /** Host and port of the server. */
  readonly server: string;
  readonly certificate: string;
  readonly key: string;
}

/** The configuration of examples/nginx.conf, filled in. */
export function tlsBlock({ host, port, plainPort, server, certificate, key }: FilledIn): string {
  const changed = example
    .replaceAll("forms.example.org$request_uri", `${host}:${port}$request_uri`)
    .replaceAll("forms.example.org;", `${host};`)
    .replace("listen 80;", `listen 127.0.0.1:${plainPort};`)
    .replace("listen 443 ssl;", `listen 127.0.0.1:${port} ssl;`)
    .replace("/etc/ssl/forms.example.org.pem", certificate)
    .replace("/etc/ssl/private/forms.example.org.key", key)
    // Clients of the tests know the server at the port of the proxy.
    .replace("Host $host;", "Host $http_host;")
    .replace("server 127.0.0.1:8080;", `server ${server};`);
  assert.doesNotMatch(changed, /forms\.example\.org;|listen (?:80|443)|:8080/);
  return changed;
}

/** The configuration without the limit for log-ins. */
export function withoutLimit(configuration: string): string {
  assert.match(configuration, /limit_req zone/);
  return configuration.replace(/ *limit_req zone.*\n/, "");
}

/** The server of examples/nginx.conf for a port of a test, without TLS and the log-in limit. */
function plainServer(port: number): string {
  const [, behindTls = ""] = example.split(/^(?=server \{\n {2}listen 443)/m);
  const changed = behindTls
    .replace("listen 443 ssl;", `listen 127.0.0.1:${port};`)
    .replace(/ *(?:#.*|ssl_.*)\n/g, "");
  assert.doesNotMatch(changed, /ssl/);
  assert.match(changed, /proxy_next_upstream/);
  return withoutLimit(changed);
}

/**
 * Configuration of examples/nginx.conf with the nodes of examples/nginx-nodes.conf, for ports of a
 * test, where all log-ins come from one address.
 */
export function nodesBlock(port: number, nodePorts: readonly number[]): string {
  const [, , parameters] = /server (192\.0\.2\.11:8080)( .*);/.exec(nodesExample) ?? assert.fail();
  const servers = nodePorts.map((node) => `server 127.0.0.1:${node}${parameters};`).join("\n");
  const [nodes = ""] = upstream.exec(nodesExample) ?? [];
  const changed = nodes.replace(/( *server 192\.0\.2\.\d+:8080.*;\n)+/, `${servers}\n`);
  assert.doesNotMatch(changed, /192\.0\.2/);
  return changed + plainServer(port);
}

/** Configuration of examples/nginx.conf with the upstream of nginx-route.conf, for a test. */
export function routeBlock(port: number, route: string, old: string): string {
  const changed = (upstream.exec(routeExample)?.[0] ?? "")
    .replace("127.0.0.1:8090", route)
    .replace("192.0.2.20:80", old);
  assert.match(changed, new RegExp(`${route} [\\s\\S]*${old} backup`));
  return changed + plainServer(port);
}

/** Addresses and the file of a test with the operator's page behind oauth2-proxy. */
export interface OperatorProxyOptions {
  /** Port of nginx. */
  readonly port: number;
  /** Host and port of the server, and of oauth2-proxy. */
  readonly server: string;
  readonly oauth2Proxy: string;
  /** File that sets the header with the secret. */
  readonly secretFile: string;
}

/** Configuration of examples/nginx.conf with the locations of nginx-operator.conf, for a test. */
export function operatorBlock(parts: OperatorProxyOptions): string {
  const locations = operatorExample
    .replaceAll("127.0.0.1:4180", parts.oauth2Proxy)
    .replace("/etc/nginx/wfh-proxy-secret.conf", parts.secretFile)
    .replace(
      "Host $host;\n  proxy_set_header X-Forwarded-For",
      "Host $http_host;\n  proxy_set_header X-Forwarded-For",
    );
  const nodes = (upstream.exec(example)?.[0] ?? "").replace("127.0.0.1:8080", parts.server);
  const server = plainServer(parts.port).replace(/^ {2}location \/ \{/m, `${locations}$&`);
  assert.match(server, /auth_request \/oauth2\/auth/);
  return nodes + server;
}
