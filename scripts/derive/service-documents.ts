import { ajaxEndpoint } from "../../src/contract/ajax-endpoint.ts";
import { locationHelper } from "../../src/contract/location-helper.ts";
import { renderDiscovery, renderSchemaDocument, renderWsdl } from "../../src/metadata/wsdl.ts";
import { endpointNamespace, locationNamespace } from "../../test/test-server.ts";

const base = "https://forms.example.org";
const location = {
  contract: locationHelper,
  namespace: locationNamespace,
  address: base + locationHelper.path,
};
const endpoint = {
  contract: ajaxEndpoint,
  namespace: endpointNamespace,
  address: base + ajaxEndpoint.path,
};

/** Documents of the services, whose copies show in review what a change of the contract means to generated clients. */
export const serviceDocuments = [
  golden("location-helper.wsdl", () => renderWsdl(location)),
  golden("location-helper.disco", () => renderDiscovery(location)),
  golden("ajax-endpoint.wsdl", () => renderWsdl(endpoint)),
  golden("ajax-endpoint.xsd", () => renderSchemaDocument(endpoint)),
  golden("ajax-endpoint.disco", () => renderDiscovery(endpoint)),
];

function golden(name: string, render: () => string) {
  return { path: `test/metadata/golden/${name}`, render };
}
