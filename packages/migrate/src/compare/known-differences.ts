/** A way in which this server responds differently on purpose. */
export interface KnownDifference {
  readonly name: string;
  /** For people, with where it is decided. */
  readonly reason: string;
  /**
   * Method, target and operation in the first line, with `responded` where the old response is that
   * of its element; then the body. Undefined for any request.
   */
  readonly request?: RegExp;
  /** The old response and ours, a line each: status, form, and code and text of an error. */
  readonly responses: RegExp;
}

/** Whole responses, nearly all of them errors; never a difference between two results. */
const knownDifferences: readonly KnownDifference[] = [
  {
    name: "missing-parameter",
    reason: "a call without its parameter is refused, not run without it (decision 0006)",
    // Not one with the parameter in a usual form. A nil one is missing, whatever it holds.
    request: /^(?!.*[<:?&\n"](?:postalCode|countryId)(?:>[^<]|=[^&\s]|"\s*:\s*"?[^"\s]))/s,
    responses:
      /^(?:200 \w+ nothing|500 text Cannot convert ).*\n500 \w+ (?:(?:\w+: )?Missing parameter: \w+\.|Invalid web service call, missing value for parameter: '\w+'\.)$/,
  },
  {
    name: "unknown-element",
    reason: "an element of no operation is refused, whatever the action says (decision 0006)",
    request: /^(?!.* responded\n)/,
    responses: /^200 XML nothing\n500 XML \w+: Unable to handle request without a valid action/,
  },
  {
    name: "other-operation",
    reason: "an action that names another operation than the Body is refused (decision 0006)",
    responses: /^200 XML nothing\n500 XML \w+: The action names the operation /,
  },
  {
    name: "elements-in-value",
    reason: "a parameter with elements in it is refused (decision 0009)",
    request: /<(?:[\w.-]+:)?(?:postalCode|countryId)(?:\s[^<>]*)?>[^<]*<[^/!?]/,
    responses:
      /^(?:200 XML|400 empty) nothing\n500 XML \w+: Server was unable .* holds an element /,
  },
  {
    name: "unreadable-bytes",
    reason:
      "bytes that do not fit their encoding, and unknown encodings, are refused (decision 0006)",
    responses:
      /^200 XML nothing\n(?:400 XML .*not valid in its character encoding|415 XML .*encoding)/,
  },
  {
    name: "malformed-request",
    reason: "what is not XML gets 400 with a fault (decision 0006)",
    responses: /^500 XML (?:Receiver|Server): .*\n400 XML \w+: Server was unable to read request\./,
  },
  {
    name: "more-is-read",
    reason: "comments within values, and text by its XML declaration, are read (decision 0009)",
    request: /<!--|<\?(?!xml\s)|[\x80-\xff]/,
    responses: /^400 empty .*\n200 XML /,
  },
  {
    name: "trimmed-code",
    reason: "white space around a postal code is not part of it (decision 0005)",
    // In a query or form, an element, or JSON.
    request:
      /(?:^|[?&\s])postalCode=(?:\+|%20|[^&?\s]*(?:(?:\+|%20)(?:&|\s|$)|\s+$))|<(?:[\w.-]+:)?postalCode(?:\s[^<>]*)?>(?:\s|[^<]*\s<)|postalCode["']?\s*:\s*["'](?:\s|[^"']*\s["'])/,
    responses: /^200 (\w+) nothing\n200 \1 $/,
  },
  {
    name: "methods",
    reason: "other methods than those of the service get 405 (decision 0006)",
    request: /^(?!GET |HEAD |POST )/,
    responses: /^(?:405|500) (?:empty|HTML) .*\n(?:400|405|501) text /,
  },
  {
    name: "error-page",
    reason: "the error is the same, and this server says what is wrong (decision 0006)",
    responses: /^([45]\d\d) (?:empty|HTML) .*\n\1 (?:XML|JSON|text) /,
  },
  {
    name: "document-not-found",
    reason: "a document that does not exist gets 404 (decision 0028)",
    request: /^GET .* null\n/,
    responses: /^500 text (.*)\n404 text \1$/,
  },
  {
    name: "unknown-operation",
    reason: "over JSON, an unknown operation gets 404, not an error page with 500",
    request: /^POST .* null\n/,
    responses: /^500 (?:HTML|JSON) .*\n404 JSON /,
  },
  {
    name: "wsdl",
    reason: "WCF divides its WSDL in another way; wfh wsdl verify compares what it means",
    request: /^GET [^\s?]+\.svc\?\S* null\n/i,
    responses: /^200 XML .*\n200 XML /,
  },
  {
    name: "wsdl-part",
    reason: "the WSDL of this server has no parts that a document of WCF would import",
    request: /^GET [^\s?]+\.svc\?(?:wsdl|xsd)=\S* null\n/i,
    responses: /^200 XML .*\n404 text XML Web service description was not found/,
  },
  {
    name: "help-page",
    reason: "help pages are for people, and look different (decision 0030)",
    request: /^GET .* null\n/,
    responses: /^200 HTML .*\n200 HTML /,
  },
];

/** The known difference between two responses, in the forms of {@link KnownDifference}. */
export function findKnown(request: string, responses: string): KnownDifference | undefined {
  return knownDifferences.find(
    (one) => one.request?.test(request) !== false && one.responses.test(responses),
  );
}
