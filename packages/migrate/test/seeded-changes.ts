/** A change of a golden WSDL, and the difference that it makes. */
export type Change = readonly [
  name: string,
  from: string | RegExp,
  to: string,
  operation: string | null,
  what: string,
  setting?: string,
];
