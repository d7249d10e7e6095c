/** What tells the two versions of SOAP apart in an envelope. */
export interface SoapVersion {
  /** The binding that answers an envelope of this version. */
  readonly binding: "soap11" | "soap12";
  readonly envelopeNamespace: string;
  /** Actors or roles that stand for the one who answers. */
  readonly ownActors: readonly string[];
}

/** SOAP 1.1 §3. */
export const soap11Version: SoapVersion = {
  binding: "soap11",
  envelopeNamespace: "http://schemas.xmlsoap.org/soap/envelope/",
  ownActors: ["http://schemas.xmlsoap.org/soap/actor/next"],
};

/** SOAP 1.2 Part 1 §5. */
export const soap12Version: SoapVersion = {
  binding: "soap12",
  envelopeNamespace: "http://www.w3.org/2003/05/soap-envelope",
  ownActors: ["next", "ultimateReceiver"].map(
    (role) => `http://www.w3.org/2003/05/soap-envelope/role/${role}`,
  ),
};

/** The version of an envelope by its namespace; undefined for any other. */
export function versionOf(envelopeNamespace: string): SoapVersion | undefined {
  return [soap11Version, soap12Version].find(
    (version) => version.envelopeNamespace === envelopeNamespace,
  );
}
