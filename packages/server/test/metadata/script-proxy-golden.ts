import { ajaxEndpoint } from "../../src/contract/ajax-endpoint.ts";
import { locationHelper } from "../../src/contract/location-helper.ts";
import { renderScriptProxy } from "../../src/metadata/proxy/script-proxy.ts";
import { endpointNamespace, locationNamespace } from "../test-server.ts";

const services = [
  { name: "location-helper", contract: locationHelper, namespace: locationNamespace },
  { name: "ajax-endpoint", contract: ajaxEndpoint, namespace: endpointNamespace },
] as const;

/** Script proxies of the test server, not as JavaScript files: their form is not ours to choose. */
export const scriptProxyCopies = services.flatMap(({ name, contract, namespace }) =>
  (["js", "jsdebug"] as const).map((kind) => ({
    path: `packages/server/test/metadata/golden/${name}.${kind}.txt`,
    render: () =>
      renderScriptProxy(contract, { namespace, path: contract.path }, kind === "jsdebug"),
  })),
);
