import assert from "node:assert/strict";
import { bindings as facts } from "@wfh/server/contract/bindings.ts";
import { locationHelper } from "@wfh/server/contract/location-helper.ts";
import type { Received } from "@wfh/server/test/server/log-in-calls.ts";
import { locationNamespace } from "@wfh/server/test/test-server.ts";
import { checkLookUp, listLookUps, writeLookUp } from "./look-ups.ts";
import type { Work } from "./work-loop.ts";

const labels = {
  soap11: "SOAP 1.1",
  soap12: "SOAP 1.2",
  "http-get": "HTTP GET",
  "http-post": "HTTP POST",
  json: "JSON",
} as const;

/** Look-ups in every binding, on kept and new connections; each response is checked by field. */
export function lookUpWorks(perSecond: number): readonly Work[] {
  const lookUps = listLookUps();
  const works = locationHelper.bindings.map((binding) => {
    const open = (loop: number) => {
      let next = loop * 31;
      return () => {
        const lookUp = lookUps[next % lookUps.length] ?? assert.fail();
        next += 1;
        const check = ({ status, body, valuesOf }: Received) => {
          assert.equal(status, 200, body);
          assert.deepEqual(valuesOf("content-type"), [facts[binding].responseContentType]);
          checkLookUp(binding, lookUp, body, locationNamespace);
        };
        const bytes = writeLookUp(binding, lookUp.code, locationNamespace);
        return { bytes, check };
      };
    };
    return { kind: `look-up, ${labels[binding]}`, perSecond, loops: 4, connects: false, open };
  });
  const [first = assert.fail()] = works;
  return [...works, { ...first, kind: `${first.kind}, new connections`, connects: true }];
}
