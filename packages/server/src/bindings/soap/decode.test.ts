import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ajaxEndpoint } from "../../contract/ajax-endpoint.ts";
import { locationHelper } from "../../contract/location-helper.ts";
import { Fault } from "../../fault.ts";
import type { NamedService } from "../binding.ts";
import { type HttpRequest, readMediaType } from "../http.ts";
import { compileSoap } from "./binding.ts";
import { type SoapVersion, soap11Version, soap12Version } from "./versions.ts";

const namespace = "urn:x/";

/** Makes a decoder; SOAP requests all go to the address of the service. */
function decoderOf(service: NamedService, versions: readonly SoapVersion[], fastPath = true) {
  const { decode } = compileSoap(service, soap11Version, versions, { fastPath });
  return (request: HttpRequest) => decode(request, { at: "service" });
}

const instance = "http://www.w3.org/2001/XMLSchema-instance";

/** An envelope with elements in its Body. */
function envelopeOf({ envelopeNamespace }: SoapVersion, content: string, header = ""): string {
  return `<e:Envelope xmlns:e="${envelopeNamespace}" xmlns:i="${instance}">${header}<e:Body>${content}</e:Body></e:Envelope>`;
}

/** A request with an envelope, and with an action as its version of SOAP states it. */
function requestOf(
  version: SoapVersion,
  envelope: string,
  action: string | undefined,
): HttpRequest {
  const isOlder = version === soap11Version;
  const parameter = action === undefined ? "" : `;action=${action}`;
  return {
    method: "POST",
    path: "/",
    query: "",
    headers: isOlder && action !== undefined ? ["SOAPAction", action] : [],
    contentType: readMediaType(isOlder ? "text/xml" : `application/soap+xml${parameter}`),
    body: Buffer.from(envelope),
  };
}

const look = "<postalCode>10001</postalCode>";
const page =
  "<form_id>1</form_id><trans_id>7</trans_id><pageRequestUrl i:nil='true'>https://a/?b&amp;c</pageRequestUrl>" +
  "<isAuthenticated>true</isAuthenticated><screenWidth>1920</screenWidth><sessionDate>2026-01-02</sessionDate>";

/** A service with an operation of it, the parts that are sent, and the action that names it. */
const calls = [
  {
    contract: locationHelper,
    element: `<PostalCodeToCityState xmlns="${namespace}">${look}</PostalCodeToCityState>`,
    action: `${namespace}PostalCodeToCityState`,
  },
  {
    contract: ajaxEndpoint,
    element: `<LogPageRequestAsync xmlns="${namespace}">${page}</LogPageRequestAsync>`,
    action: `${namespace}IWebFormsAjaxEndpoint/LogPageRequestAsync`,
  },
];

/** Texts that mean something in an envelope, or look as if they did. */
const fragments = fc.constantFrom(
  ...`<>/&;1x \n\r"😀`,
  "&amp;",
  "&#49;",
  "]]>",
  "",
  "<![CDATA[7]]>",
  "<!--1-->",
  "<form_id>2</form_id>",
  "<b/>",
  look,
  "i:nil='1'",
  "xmlns='urn:y'",
  "e:",
  "<e:Header/>",
  "<e:Header><a e:mustUnderstand='1' xmlns='urn:h'/></e:Header>",
  "9999999999",
  "99999999999999999999",
  "2026-02-30",
  "false",
  "i:",
  "LogInUser",
  "text",
);
const change = fc.record({ at: fc.nat(900), units: fc.nat(9), fragment: fragments });

for (const { contract, element, action } of calls) {
  const service = { contract, namespace };
  for (const version of [soap11Version, soap12Version]) {
    const envelope = envelopeOf(version, element);
    const compile = () => decoderOf(service, [version]);
    const changed = (
      text: string,
      changes: readonly (typeof change extends fc.Arbitrary<infer Of> ? Of : never)[],
    ) =>
      changes.reduce((result, { at, units, fragment }) => {
        const start = at % (result.length + 1);
        return result.slice(0, start) + fragment + result.slice(start + units);
      }, text);

    test(`${contract.name} ${version.binding}: an envelope that follows others like it is the call, or the fault, that it is alone`, () => {
      const quoted = `"${action}"`;
      const others = [action, `"${namespace}LogInUser"`, '""', `"${action}x"`, undefined];
      const actions = fc.constantFrom(quoted, quoted, ...others);
      const sent = fc.record({ changes: fc.array(change, { maxLength: 2 }), by: actions });
      /** The same with WFH_FAST_PATH=off. */
      const alone = decoderOf(service, [version], false);
      let shared = compile();
      fc.assert(
        fc.property(fc.array(sent, { maxLength: 3 }), (others) => {
          shared = compile();
          const first = requestOf(version, envelope, `"${action}"`);
          for (let i = 0; i < 2; i += 1) shared(first);
          for (const { changes, by } of others) {
            const request = requestOf(version, changed(envelope, changes), by);
            // Each twice: read in full, and by its template.
            for (let i = 0; i < 2; i += 1) {
              assert.deepEqual(outcome(shared, request), outcome(alone, request));
            }
            assert.deepEqual(outcome(shared, first), outcome(alone, first));
          }
        }),
        { numRuns: 150 },
      );
    });
  }
}

/** Result of decoding: the call, or all details of the fault. */
function outcome(decode: (request: HttpRequest) => unknown, request: HttpRequest): unknown {
  try {
    return decode(request);
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    return {
      code: fault.code,
      messages: fault.messages,
      hint: fault.hint,
      responseForm: fault.responseForm,
    };
  }
}

/** Makes a caller of LogPageRequestAsync, with header blocks and parts, that keeps its decoder. */
function pageRequestCaller() {
  const decode = decoderOf({ contract: ajaxEndpoint, namespace }, [soap11Version]);
  const action = `${namespace}IWebFormsAjaxEndpoint/LogPageRequestAsync`;
  return (parts: string, blocks = "") => {
    const element = `<LogPageRequestAsync xmlns="${namespace}">${parts}</LogPageRequestAsync>`;
    const header = `<e:Header>${blocks}</e:Header>`;
    return decode(requestOf(soap11Version, envelopeOf(soap11Version, element, header), action));
  };
}

test("values of an envelope of a known kind are its own, and those that its kind has are all of theirs", () => {
  const send = pageRequestCaller();
  for (let i = 0n; i < 5n; i += 1n) {
    const { input } = send(
      `<form_id>${i}</form_id><form_id>7</form_id><screenWidth><![CDATA[5]]></screenWidth>`,
    );
    assert.deepEqual([input["form_id"], input["screenWidth"], input["trans_id"]], [i, 5, null]);
  }
});

test("text beside no parts at all is refused, also where others of its kind had none", () => {
  const send = pageRequestCaller();
  for (let i = 0; i < 3; i += 1) send("");
  assert.throws(() => send("7"), Fault);
  send(" ");
});

test("header blocks have their say in each envelope of a kind", () => {
  const send = pageRequestCaller();
  for (let i = 0; i < 5; i += 1) {
    const id = `<a:MessageID xmlns:a="http://www.w3.org/2005/08/addressing">urn:${i}</a:MessageID>`;
    assert.equal(send("<form_id>1</form_id>", id).responseForm.addressing?.relatesTo, `urn:${i}`);
  }
});

/** Every part that is no text, with a value of its type. */
const simpleParts = Object.entries(ajaxEndpoint.operations.LogPageRequestAsync.input)
  .filter(([, { type }]) => type !== "string")
  .map(([name]) => name);

for (const version of [soap11Version, soap12Version]) {
  const call = (operation: string, content: string) => {
    const element = `<${operation} xmlns="${namespace}">${content}</${operation}>`;
    const action = `${namespace}IWebFormsAjaxEndpoint/${operation}`;
    const decode = decoderOf({ contract: ajaxEndpoint, namespace }, [version]);
    return decode(requestOf(version, envelopeOf(version, element), action));
  };

  test(`${version.binding}: each part of a page request may be nil, which is the same as absent`, () => {
    assert.equal(simpleParts.length, 12);
    for (const part of simpleParts) {
      for (const nil of [`<${part} i:nil="true"/>`, `<${part} i:nil="1">no <b/> value</${part}>`]) {
        const other = part === "trans_id" ? "form_id" : "trans_id";
        const { input } = call("LogPageRequestAsync", `${nil}<${other}>7</${other}>`);
        assert.deepEqual([input[part], input[other]], [null, 7n], part);
      }
    }
  });

  test(`${version.binding}: a number of TryAutoLogIn must not be nil`, () => {
    assert.throws(
      () => call("TryAutoLogIn", '<form_id i:nil="true"/>'),
      (error) => error instanceof Fault && error.code === "unreadable-part",
    );
  });
}
