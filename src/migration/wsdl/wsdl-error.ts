/** A WSDL that cannot be read or compared. The message is for people: what is wrong, and how to fix it. */
export class WsdlError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "WsdlError";
  }
}
