import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { after } from "node:test";

/** What stands between a browser and a server, as gateways do. */
export interface ReverseProxy {
  readonly url: string;
  /**
   * Loses the answer to the next POST, or only its cookies; the server has done its work by then. Resolves to the
   * Set-Cookie fields that the browser never sees.
   */
  loseNext(what: "answer" | "cookies"): Promise<readonly string[]>;
}

type Pass = (answer: IncomingMessage, outgoing: ServerResponse) => void;

const passAll: Pass = (answer, outgoing) => {
  outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
  answer.pipe(outgoing);
};

const losses: Readonly<Record<"answer" | "cookies", Pass>> = {
  answer: (answer, outgoing) => {
    answer.resume();
    outgoing.writeHead(504).end();
  },
  cookies: (answer, outgoing) => {
    const { "set-cookie": _lost, ...others } = answer.headers;
    outgoing.writeHead(answer.statusCode ?? 500, others);
    answer.pipe(outgoing);
  },
};

/** Passes requests on to a server until the tests of the file are over. */
export async function startReverseProxy(target: string): Promise<ReverseProxy> {
  let passNext: Pass | undefined;
  const relay = createServer((incoming, outgoing) => {
    const { method = "GET", url = "/", headers } = incoming;
    const pass = method === "POST" ? (passNext ?? passAll) : passAll;
    if (method === "POST") passNext = undefined;
    const onward = request(target + url, { method, headers }, (answer) => pass(answer, outgoing));
    incoming.pipe(onward);
  }).listen(0, "127.0.0.1");
  after(() => relay.close());
  await new Promise((resolve) => relay.once("listening", resolve));
  const { port } = relay.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    loseNext: (what) =>
      new Promise((resolve) => {
        passNext = (answer, outgoing) => {
          resolve(answer.headers["set-cookie"] ?? []);
          losses[what](answer, outgoing);
        };
      }),
  };
}
