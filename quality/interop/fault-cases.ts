import assert from "node:assert/strict";
import type { InteropCase, Row } from "./interop-case.ts";
import type { SoapCall, SoapOutcome } from "./soap-client.ts";

/** Fault codes of the two services in SOAP 1.1, without prefix (decisions 0006, 0016). */
interface FaultCodes {
  readonly soap11: string;
}

/** Checks that the client raised its own fault, with its binding's code and a telling text. */
function isFault(outcome: SoapOutcome, { binding }: Row, { soap11 }: FaultCodes, text: RegExp) {
  assert.equal(outcome.error, null);
  assert.notEqual(outcome.fault, null);
  const codes = { "SOAP 1.1": soap11, "SOAP 1.2": "Sender", "HTTP GET": "500", "HTTP POST": "500" };
  assert.equal(outcome.fault?.code.replace(/^.*:/, ""), codes[binding]);
  // Proxies for HTTP close the response before it can be read.
  if (binding.startsWith("SOAP")) assert.match(outcome.fault?.text ?? "", text);
  else assert.equal(outcome.mediaType, "text/plain");
  assert.equal(outcome.result, null);
}

function fault(
  column: InteropCase["column"],
  rule: string,
  call: Omit<SoapCall, "sendsCookie">,
  expected: FaultCodes & { readonly text: RegExp },
): InteropCase {
  return {
    column,
    rule,
    call: () => call,
    check: (outcome, row) => isFault(outcome, row, expected, expected.text),
  };
}

/** Calls of clients that are made from a copy with mistakes (see `interop-server.ts`). */
export const faultCases: readonly InteropCase[] = [
  fault(
    "unknown operation",
    "the location helper returns a fault for an unknown operation",
    {
      wsdl: "changedLocation",
      operation: "GetCityForPostalCode",
      parts: { postalCode: "10001" },
    },
    { soap11: "Client", text: /GetCityForPostalCode|valid action parameter/ },
  ),
  fault(
    "malformed value",
    "the location helper returns a fault for a country that is not a number",
    {
      wsdl: "changedLocation",
      operation: "GetStateListForCountryId",
      parts: { countryId: "eight" },
    },
    { soap11: "Client", text: /Input string was not in a correct format/ },
  ),
  fault(
    "unknown operation",
    "the AJAX endpoint returns a fault for an unknown operation",
    {
      wsdl: "changedEndpoint",
      operation: "LogOutUser",
      parts: { userName: "bob", passWord: "no" },
    },
    { soap11: "ActionNotSupported", text: /LogOutUser/ },
  ),
  fault(
    "malformed value",
    "the AJAX endpoint returns a fault for a form that is not a number",
    { wsdl: "changedEndpoint", operation: "TryAutoLogIn", parts: { form_id: "twelve" } },
    { soap11: "DeserializationFailed", text: /form_id/ },
  ),
  fault(
    "malformed value",
    "the AJAX endpoint returns a fault for an invalid date",
    {
      wsdl: "changedEndpoint",
      operation: "LogPageRequestAsync",
      parts: { sessionDate: "yesterday" },
    },
    { soap11: "DeserializationFailed", text: /sessionDate/ },
  ),
];
