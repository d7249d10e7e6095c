// An import of `node:http` asks it for all that it exports, the client of WebSockets among them, and so loads what is
// never used here.
const http = process.getBuiltinModule("node:http");

/** As `node:http` has it. */
export const createServer = http.createServer;

/** Phrases of status codes, as `node:http` has them. */
export const STATUS_CODES = http.STATUS_CODES;
