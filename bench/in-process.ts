import type { Binding, CallTarget } from "../src/bindings/binding.ts";
import { type HttpRequest, noBody, readMediaType } from "../src/bindings/http.ts";
import { httpGet } from "../src/bindings/http-get.ts";
import { httpPost } from "../src/bindings/http-post.ts";
import { soap11 } from "../src/bindings/soap11.ts";
import { soap12 } from "../src/bindings/soap12.ts";
import { bindings as facts } from "../src/contract/bindings.ts";
import { locationHelper } from "../src/contract/location-helper.ts";
import { PlaceLookup } from "../src/domain/location/lookup.ts";
import { builtInGazetteer } from "../src/gazetteer/format/artifact.ts";
import { openGazetteer } from "../src/gazetteer/format/reader.ts";
import { locationOperations } from "../src/operations/location.ts";
import { median, renderMarkdown } from "./results.ts";
import { envelopeOf, postalCodes } from "./workload.ts";

const service = { contract: locationHelper, namespace: "http://tempuri.org/" };
const repeats = 20;
const target: CallTarget = { at: "operation", operation: "PostalCodeToCityState" };

/** Microseconds of one look-up without any HTTP: decode, look up, encode, and all three in a row. */
export function benchInProcess(rounds: number): string {
  const location = new PlaceLookup({
    gazetteer: openGazetteer(builtInGazetteer),
    countryPrecedence: ["US", "CA"],
  });
  const { PostalCodeToCityState: lookUp } = locationOperations(location);
  const context = {
    found: () => {},
    sender: () => ({ requestId: "", address: null, userAgent: null }),
    visitor: neverAsked,
    changeCookie: neverAsked,
    retryAfter: neverAsked,
  };
  const rows = [soap11(service), soap12(service), httpGet(service), httpPost(service)].map(
    (binding) => {
      const requests = requestsOf(binding);
      const calls = requests.map((request) => binding.decode(request, target));
      const inputs = postalCodes().map(({ code }) => ({ postalCode: code }));
      const results = inputs.map((input) => lookUp(input, context));
      const steps = [
        (i: number) => binding.decode(requests[i] as HttpRequest, target),
        (i: number) => lookUp(inputs[i] as { postalCode: string }, context),
        (i: number) => binding.encode(calls[i] as never, results[i]),
        (i: number) => {
          const call = binding.decode(requests[i] as HttpRequest, target);
          return binding.encode(call, lookUp(call.input as { postalCode: string }, context));
        },
      ];
      return [
        binding.name,
        ...steps.map((step) => timeOf(step, requests.length, rounds).toFixed(2)),
      ];
    },
  );
  return renderMarkdown([["binding", "decode", "look-up", "encode", "all, µs"], ...rows]);
}

/** Stands for what a look-up does not ask of its request. */
function neverAsked(): never {
  throw new Error("A look-up has nothing to do with this");
}

/** Median over rounds of the mean time of a step, in microseconds. */
function timeOf(step: (i: number) => unknown, count: number, rounds: number): number {
  const times: number[] = [];
  for (let round = -2; round < rounds; round += 1) {
    const started = performance.now();
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      for (let i = 0; i < count; i += 1) step(i);
    }
    // The first two rounds are for the compiler.
    if (round >= 0) times.push(((performance.now() - started) * 1_000) / (repeats * count));
  }
  return median(times);
}

function requestsOf(binding: Binding): readonly HttpRequest[] {
  const { method, at, requestMediaType } = facts[binding.name];
  return postalCodes().map(({ code }) => {
    const form = `postalCode=${code}`;
    const text = at === "service" ? envelopeOf(binding.name, code) : form;
    return {
      method,
      path: locationHelper.path,
      query: method === "GET" ? form : "",
      headers:
        binding.name === "soap11"
          ? ["SOAPAction", '"http://tempuri.org/PostalCodeToCityState"']
          : [],
      contentType:
        requestMediaType === null ? undefined : readMediaType(`${requestMediaType}; charset=utf-8`),
      body: method === "GET" ? noBody : Buffer.from(text),
    };
  });
}
