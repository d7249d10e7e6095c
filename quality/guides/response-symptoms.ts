import { once } from "node:events";
import { connect } from "node:net";
import { startServer } from "@wfh/server/test/test-server.ts";
import type { Produce } from "./start-symptoms.ts";

const defaults = {
  WFH_LOCATION_NAMESPACE: "http://tempuri.org/",
  WFH_ENDPOINT_NAMESPACE: "http://tempuri.org/",
};

/** A request to a server with default settings. */
interface Sent {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Number of simultaneous requests. */
  readonly count?: number;
}

const locationHelper = "/api/LocationUIHelper.asmx";
const endpoint = "/api/WebFormsAjaxEndpoint.svc";
const otherSite = "https://www.example.com";
const json = { "Content-Type": "application/json" };
const logIn = { path: `${endpoint}/LogInUser`, headers: json, body: '{"userName":"eve"}' };

/** Starts a server, and resolves to what is returned of it, and its log. */
function withServer(
  settings: Readonly<Record<string, string>>,
  use: (url: string) => Promise<readonly string[]>,
): Produce {
  return async () => {
    const server = await startServer(settings);
    try {
      const shown = await use(server.url);
      return [...shown, ...server.log].join("\n");
    } finally {
      await server.close();
    }
  };
}

/** Sends a request, and resolves to all responses, and the log of the server. */
function sending(sent: Sent, settings: Readonly<Record<string, string>> = {}): Produce {
  return withServer({ ...defaults, ...settings }, (url) => {
    const { path, headers = {}, body, count = 1 } = sent;
    const call = body === undefined ? { headers } : { method: "POST", headers, body };
    const send = async () => (await fetch(url + path, call)).text();
    return Promise.all(Array.from({ length: count }, send));
  });
}

/** A SOAP 1.1 call of PostalCodeToCityState. */
function soap(action: string, namespace: string): Sent {
  const element = `<PostalCodeToCityState xmlns="${namespace}"><postalCode>10001</postalCode></PostalCodeToCityState>`;
  return {
    path: locationHelper,
    headers: { "Content-Type": "text/xml; charset=utf-8", SOAPAction: `"${action}"` },
    body: `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${element}</s:Body></s:Envelope>`,
  };
}

const oldNamespace = "http://old.example.org/services/";
const pageRequest = {
  path: `${endpoint}/LogPageRequestAsync`,
  headers: json,
  body: '{"form_id":1}',
};

/** Symptoms of callers, by their headings. */
export const failedCalls: Readonly<Record<string, Produce>> = {
  "The proxy speaks TLS to the server, or a client does": withServer({}, async (url) => {
    const { port, hostname } = new URL(url);
    const socket = connect(Number(port), hostname);
    // The start of a TLS record: a handshake.
    socket.resume().end(Buffer.from([22, 3, 1, 0, 5, 1, 0, 0, 1, 3]));
    await once(socket, "close");
    return [];
  }),
  "403 or CORS, a page of another site": sending({
    ...pageRequest,
    headers: { ...json, Origin: otherSite },
  }),
  "403, the metrics": sending({ path: "/metrics" }),
  "404, nothing is served there": sending({ path: "/LocationUIHelper.asmx" }),
  "413, the body is too long": sending({ ...pageRequest, body: " ".repeat(70_000) }),
  "415, the content type": sending({
    path: locationHelper,
    headers: { "Content-Type": "application/xml" },
    body: "<a/>",
  }),
  "503, a page request was not stored": sending(pageRequest, {
    WFH_DATABASE_URL: "postgres://wfh:secret-1@127.0.0.1:1/wfh",
  }),
  "A SOAP call in another namespace": sending(
    soap(`${oldNamespace}PostalCodeToCityState`, oldNamespace),
  ),
  "The SOAPAction names another operation": sending(
    soap("http://tempuri.org/GetCityStateForPostalCode", "http://tempuri.org/"),
  ),
  "A look-up is empty": sending({
    path: `${locationHelper}/PostalCodeToCityState?postalCode=00000`,
  }),
  "A log-in is refused": sending(logIn),
  "All visitors are blocked at once": withServer({}, async (url) => {
    const { path, headers, body } = logIn;
    for (let left = 60; left > 0; left -= 1) {
      const call = {
        method: "POST",
        headers: { ...headers, "X-Forwarded-For": "198.51.100.7" },
        body: body.replace("eve", `eve-${left}`),
      };
      const last = await (await fetch(url + path, call)).text();
      if (last.includes("Too many")) return [last];
    }
    return [];
  }),
  "403, a page may not log in": sending(
    { ...logIn, headers: { ...json, Origin: otherSite } },
    { WFH_ALLOWED_ORIGINS: otherSite },
  ),
  "Log-ins are slow, or get 503": sending(
    { ...logIn, count: 40 },
    { WFH_HASHES_AT_ONCE: "1", WFH_HASH_QUEUE_MAX: "1" },
  ),
};
