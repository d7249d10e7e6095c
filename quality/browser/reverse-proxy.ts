import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { openLocally } from "@wfh/server/test/local-server.ts";

/** A proxy between a browser and a server, like a gateway. */
export interface ReverseProxy {
  readonly url: string;
  /**
   * Loses the response to the next POST, or only its cookies, after the server's work. Resolves to
   * the lost Set-Cookie fields.
   */
  loseNext(what: "response" | "cookies"): Promise<readonly string[]>;
}

type Pass = (response: IncomingMessage, outgoing: ServerResponse) => void;

const passAll: Pass = (response, outgoing) => {
  outgoing.writeHead(response.statusCode ?? 500, response.headers);
  response.pipe(outgoing);
};

const losses: Readonly<Record<"response" | "cookies", Pass>> = {
  response: (response, outgoing) => {
    response.resume();
    outgoing.writeHead(504).end();
  },
  cookies: (response, outgoing) => {
    const { "set-cookie": _lost, ...others } = response.headers;
    outgoing.writeHead(response.statusCode ?? 500, others);
    response.pipe(outgoing);
  },
};

/** Passes requests on to a server until the tests of the file are over. */
export async function startReverseProxy(target: string): Promise<ReverseProxy> {
  let passNext: Pass | undefined;
  const relay = createServer((incoming, outgoing) => {
    const { method = "GET", url = "/", headers } = incoming;
    const pass = method === "POST" ? (passNext ?? passAll) : passAll;
    if (method === "POST") passNext = undefined;
    const onward = request(target + url, { method, headers }, (response) =>
      pass(response, outgoing),
    );
    incoming.pipe(onward);
  });
  return {
    url: await openLocally(relay),
    loseNext: (what) =>
      new Promise((resolve) => {
        passNext = (response, outgoing) => {
          resolve(response.headers["set-cookie"] ?? []);
          losses[what](response, outgoing);
        };
      }),
  };
}
