import { renderDiscovery, renderSchemaDocument, renderWsdl } from "@wfh/server/metadata/wsdl.ts";
import { describeServices } from "@wfh/server/test/metadata/sample-site.ts";

const { location, endpoint } = describeServices("https://forms.example.org");

/** Copies of the services' documents: a contract change's effect on clients shows in review. */
export const serviceDocuments = [
  golden("location-helper.wsdl", () => renderWsdl(location)),
  golden("location-helper.disco", () => renderDiscovery(location)),
  golden("ajax-endpoint.wsdl", () => renderWsdl(endpoint)),
  golden("ajax-endpoint.xsd", () => renderSchemaDocument(endpoint)),
  golden("ajax-endpoint.disco", () => renderDiscovery(endpoint)),
];

function golden(name: string, render: () => string) {
  return { path: `packages/server/test/metadata/golden/${name}`, render };
}
