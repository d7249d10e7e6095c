/**
 * What the server needs of `node:http`. An import of that module asks it for all that it exports, the client of WebSockets
 * among them, and so loads 14 MB that are never used.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule("node:http");
