import {
  type DescribedApi,
  type DescribedService,
  operationsOf,
} from "../../src/metadata/described-service.ts";
import { codeSamples } from "../../src/metadata/samples/code-samples.ts";
import { textOfMessage } from "../../src/metadata/samples/request.ts";
import { sampleMessages } from "../../src/metadata/samples/sample-messages.ts";
import { describeApi, describeServices, messagesOf } from "./sample-site.ts";

const base = "https://forms.example.org";
const { location, endpoint } = describeServices(base);
const rest = describeApi(base);
const services = [
  { name: "location-helper", service: location },
  { name: "ajax-endpoint", service: endpoint },
];

/** Sample messages and calls of all services, whose copies show in review what people will copy. */
export const sampleCopies = [
  ...services.flatMap(({ name, service }) => [
    {
      path: `packages/server/test/metadata/golden/samples-${name}.txt`,
      render: () => renderSamples(service),
    },
    {
      path: `packages/server/test/metadata/golden/samples-${name}-calls.txt`,
      render: () => renderCalls(service),
    },
  ]),
  {
    path: "packages/server/test/metadata/golden/samples-rest-calls.txt",
    render: () => renderCalls(rest),
  },
];

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

function renderCalls(service: DescribedApi | DescribedService): string {
  const calls = operationsOf(service).flatMap(([operation]) =>
    messagesOf(service, operation).flatMap((message) =>
      codeSamples(service, operation, message).map(
        ({ language, code }) => `=== ${operation}, ${message.title}, ${language}\n\n${code}\n`,
      ),
    ),
  );
  return calls.join("\n");
}
