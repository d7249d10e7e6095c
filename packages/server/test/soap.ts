/** Namespaces of envelopes by the version of SOAP, as the specifications have them. */
export const envelopeNamespaces = {
  "1.1": "http://schemas.xmlsoap.org/soap/envelope/",
  "1.2": "http://www.w3.org/2003/05/soap-envelope",
} as const;

/** A version of SOAP. */
export type EnvelopeVersion = keyof typeof envelopeNamespaces;

/** An envelope as a plain client writes it, around the content of its Body. */
export function writeEnvelope(version: EnvelopeVersion, content: string, header = ""): string {
  const namespace = envelopeNamespaces[version];
  return `<e:Envelope xmlns:e="${namespace}">${header}<e:Body>${content}</e:Body></e:Envelope>`;
}

/** The POST of an envelope, for `fetch`; without an action where none is given. */
export function soapPost(version: EnvelopeVersion, content: string, action?: string): RequestInit {
  const headers = new Headers({ "Content-Type": "text/xml" });
  if (version === "1.2") {
    const parameter = action === undefined ? "" : `; action="${action}"`;
    headers.set("Content-Type", `application/soap+xml${parameter}`);
  } else if (action !== undefined) headers.set("SOAPAction", `"${action}"`);
  return { method: "POST", headers, body: writeEnvelope(version, content) };
}
