import { readFileSync } from "node:fs";
import { operationsOf } from "@wfh/server/metadata/described-service.ts";
import { sampleMessages } from "@wfh/server/metadata/samples/sample-messages.ts";
import { listCases } from "@wfh/server/test/conformance/cases.ts";
import { describeServices } from "@wfh/server/test/metadata/sample-site.ts";
import { root } from "@wfh/server/test/source-files.ts";

/** A request that is changed. */
export interface Original {
  /** Name of a wire case, or of a sample. */
  readonly name: string;
  /** Request line, without its end. */
  readonly line: string;
  /** Header fields as lines, without those that frame the body or the connection. */
  readonly fields: readonly string[];
  readonly body: Buffer;
  /** All of it, as it was recorded. */
  readonly bytes: Buffer;
}

const framing = /^(?:connection|content-length|transfer-encoding|expect|te|upgrade):/i;

/** Every recorded exchange and every sample of both services. */
export function listOriginals(): readonly Original[] {
  const recorded = listCases().map((name) =>
    toOriginal(name, readFileSync(`${root}packages/server/test/conformance/${name}/request.http`)),
  );
  const services = Object.values(describeServices("http://x"));
  const samples = services.flatMap((service) =>
    operationsOf(service).flatMap(([operation]) =>
      sampleMessages(service, operation, "example").map(({ title, request: { head, body } }) => {
        const lines = head.replaceAll("\n", "\r\n");
        return toOriginal(`${operation}, ${title}`, Buffer.from(`${lines}\r\n\r\n${body}`));
      }),
    ),
  );
  return [...recorded, ...samples];
}

function toOriginal(name: string, bytes: Buffer): Original {
  const end = bytes.indexOf("\r\n\r\n");
  const [line = "", ...fields] = bytes.toString("latin1", 0, end).split("\r\n");
  return {
    name,
    line,
    fields: fields.filter((field) => !framing.test(field)),
    body: bytes.subarray(end + 4),
    bytes,
  };
}
