import { Agent, createServer, request } from "node:http";

/** The plainest proxy of node:http: `node plain-proxy.ts URL`. Prints its address. */
const to = process.argv[2] ?? "";
const agent = new Agent({ keepAlive: true });
const server = createServer((incoming, outgoing) => {
  const { method, url = "/", rawHeaders: headers } = incoming;
  const onward = request(to + url, { agent, method, headers, setHost: false }, (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders);
    response.pipe(outgoing);
  });
  incoming.pipe(onward);
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address !== null)
    console.log(`http://127.0.0.1:${address.port}`);
});
