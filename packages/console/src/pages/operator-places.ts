/** Address of the first page of operators; all others are below it. */
export const operatorPath = "/operator";

const reading = ["GET", "HEAD"];
const acting = [...reading, "POST"];

/** Methods of the pages of operators, by their addresses below the first one. */
export const methodsOf = {
  "": reading,
  "/": reading,
  "/live": reading,
  "/live/events": reading,
  "/accounts": reading,
  "/account": acting,
  "/events": reading,
  "/log-in": acting,
  "/log-out": ["POST"],
} as const;

/** Place of a page below the first one. */
export type OperatorPlace = keyof typeof methodsOf;
