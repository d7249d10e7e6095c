import { type DescribedService, operationsOf } from "../../src/metadata/described-service.ts";
import { codeSamples } from "../../src/metadata/samples/code-samples.ts";
import { textOfMessage } from "../../src/metadata/samples/request.ts";
import { sampleMessages } from "../../src/metadata/samples/sample-messages.ts";
import { describeServices } from "./sample-site.ts";

const { location, endpoint } = describeServices("https://forms.example.org");
const services = [
  { name: "location-helper", service: location },
  { name: "ajax-endpoint", service: endpoint },
];

/** Sample messages and calls of both services, whose copies show in review what people will copy. */
export const sampleCopies = services.flatMap(({ name, service }) => [
  { path: `test/metadata/golden/samples-${name}.txt`, render: () => renderSamples(service) },
  { path: `test/metadata/golden/samples-${name}-calls.txt`, render: () => renderCalls(service) },
]);

function renderSamples(service: DescribedService): string {
  const samples = operationsOf(service).flatMap(([operation]) =>
    (["placeholders", "example"] as const).flatMap((values) =>
      sampleMessages(service, operation, values).map(
        ({ title, request, response }) =>
          `=== ${operation}, ${title}, ${values}\n\n${textOfMessage(request)}\n\n${textOfMessage(response)}\n`,
      ),
    ),
  );
  return samples.join("\n");
}

function renderCalls(service: DescribedService): string {
  const calls = operationsOf(service).flatMap(([operation]) =>
    codeSamples(service, operation).map(
      ({ language, code }) => `=== ${operation}, ${language}\n\n${code}\n`,
    ),
  );
  return calls.join("\n");
}
