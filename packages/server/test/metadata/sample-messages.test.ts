import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseDateTime } from "../../src/codec/date-time.ts";
import { ajaxEndpoint } from "../../src/contract/ajax-endpoint.ts";
import { bindings } from "../../src/contract/bindings.ts";
import type { DescribedService } from "../../src/metadata/described-service.ts";
import { sampleMessages } from "../../src/metadata/samples/sample-messages.ts";
import { exchange, type RawResponse, readResponse } from "../exchange.ts";
import { readText } from "../source-files.ts";
import { sampleCopies } from "./sample-golden.ts";
import { describeServices, openSampleSite, withoutLayout } from "./sample-site.ts";

const site = await openSampleSite();
const services: readonly DescribedService[] = Object.values(describeServices(site.url));

/** The fields of a head by their names in lower case. */
function fieldsOf(head: string): RawResponse["headers"] {
  return readResponse(`${head.replaceAll("\n", "\r\n")}\r\n\r\n`).headers;
}

for (const service of services) {
  for (const [operation, { input, example }] of Object.entries(service.contract.operations)) {
    test(`the example of ${operation} sends every part, since clients of .NET cannot leave one out`, () => {
      const sent = Object.entries(example?.input ?? {}).filter(([, value]) => value !== null);
      assert.deepEqual(
        sent.map(([part]) => part),
        Object.keys(input),
      );
    });

    for (const sample of sampleMessages(service, operation, "example")) {
      const { binding, title, request, response } = sample;
      // What the server indents itself is shown to the letter.
      const read = bindings[binding].indent === 0 ? withoutLayout : String;
      describe(`the example of ${operation} over ${title}`, async () => {
        const head = `${request.head}\nConnection: close\n\n`.replaceAll("\n", "\r\n");
        const text = await exchange(site.url, head + request.body);
        const received = readResponse(text);

        test("gets the response that it shows", () => {
          assert.equal(text.split("\r\n")[0], response.head.split("\n")[0]);
          assert.equal(read(received.body), read(response.body));
        });

        test("states the headers of the server's response, the length too", () => {
          const stated = fieldsOf(response.head);
          assert.ok(stated.has("content-length"));
          for (const [name, value] of stated) assert.equal(received.headers.get(name), value);
          assert.equal(stated.has("content-type"), received.headers.has("content-type"));
        });

        test("states the length of its request", () => {
          const stated = fieldsOf(request.head).get("content-length");
          const length = request.body === "" ? undefined : String(Buffer.byteLength(request.body));
          assert.equal(stated, length);
        });
      });
    }

    test(`the samples of ${operation} are of every binding of its service, in its order`, () => {
      for (const values of ["placeholders", "example"] as const) {
        const names = sampleMessages(service, operation, values).map(({ binding }) => binding);
        assert.deepEqual(names, service.contract.bindings);
      }
    });

    test(`placeholders change nothing of ${operation} but values and lengths`, () => {
      const [shown, real] = (["placeholders", "example"] as const).map((values) =>
        sampleMessages(service, operation, values).map(({ request, response }) =>
          [request.head, namesOf(request.body), response.head, namesOf(response.body)].join("\n"),
        ),
      );
      const withoutValues = (text: string) =>
        text.replace(/^Content-Length: .*$/gm, "").replace(/\?.*(?= HTTP)/, "");
      assert.deepEqual(shown?.map(withoutValues), real?.map(withoutValues));
    });
  }
}

/** Names of elements, members and fields, in order. A value may be nil in one sample only. */
function namesOf(body: string): string {
  return (body.match(/<\/?[\w:]+|"\w+":|^\w+(?==)/gm) ?? [])
    .filter((name) => !name.startsWith("</"))
    .join();
}

test("the moments of the examples are those that their texts name", () => {
  const { sessionDate } = ajaxEndpoint.operations.LogPageRequestAsync.example.input;
  assert.deepEqual(sessionDate, parseDateTime(sessionDate?.text ?? ""));
});

for (const { path, render } of sampleCopies) {
  test(`${path} is what the contract makes of it`, () => {
    assert.equal(render(), readText(path), "npm run derive, and read the diff");
  });
}
