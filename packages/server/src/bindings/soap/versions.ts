/** The four fault codes that both versions of SOAP have, under names of their own. */
export type SoapCode = "sender" | "receiver" | "version-mismatch" | "must-understand";

/** Differences between the two versions of SOAP. */
export interface SoapVersion {
  /** The binding that responds to an envelope of this version. */
  readonly binding: "soap11" | "soap12";
  readonly envelopeNamespace: string;
  /** Attribute of a header block that says for which node it is, and the values that mean us. */
  readonly actorAttribute: "actor" | "role";
  readonly ownActors: readonly string[];
  readonly codes: Readonly<Record<SoapCode, string>>;
}

/** SOAP 1.1 §3 and §4.4.1. */
export const soap11Version: SoapVersion = {
  binding: "soap11",
  envelopeNamespace: "http://schemas.xmlsoap.org/soap/envelope/",
  actorAttribute: "actor",
  ownActors: ["", "http://schemas.xmlsoap.org/soap/actor/next"],
  codes: {
    sender: "Client",
    receiver: "Server",
    "version-mismatch": "VersionMismatch",
    "must-understand": "MustUnderstand",
  },
};

/** SOAP 1.2 Part 1 §5. */
export const soap12Version: SoapVersion = {
  binding: "soap12",
  envelopeNamespace: "http://www.w3.org/2003/05/soap-envelope",
  actorAttribute: "role",
  ownActors: [
    "",
    "http://www.w3.org/2003/05/soap-envelope/role/next",
    "http://www.w3.org/2003/05/soap-envelope/role/ultimateReceiver",
  ],
  codes: {
    sender: "Sender",
    receiver: "Receiver",
    "version-mismatch": "VersionMismatch",
    "must-understand": "MustUnderstand",
  },
};
