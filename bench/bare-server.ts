import { createServer } from "node:http";

/**
 * The practical limit of one Node process: a node:http server that reads and drops the body of a
 * request and sends the bytes it was started with. Prints its port.
 */
const [contentType = "", length = "0"] = process.argv.slice(2);
const body = Buffer.alloc(Number(length), "x");
const headers = ["Content-Type", contentType, "Content-Length", length];

const server = createServer((request, response) => {
  request.on("data", () => {});
  request.on("end", () => {
    response.writeHead(200, headers);
    response.end(body);
  });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address !== null)
    console.log(`http://127.0.0.1:${address.port}`);
});
