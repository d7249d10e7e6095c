import { formFault } from "../form/fault.ts";

/** Answers a fault as plain text. */
export const encodeFault = formFault("http-get");
