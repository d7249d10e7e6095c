import { compileBinding } from "@wfh/server/bindings/compile-binding.ts";
import { ajaxEndpoint } from "@wfh/server/contract/ajax-endpoint.ts";
import type { BindingName } from "@wfh/server/contract/bindings.ts";
import { locationHelper } from "@wfh/server/contract/location-helper.ts";
import type { ServiceContract } from "@wfh/server/contract/operation.ts";
import { fillRequest, type SentPart } from "@wfh/server/metadata/samples/request.ts";
import { exchange } from "@wfh/server/test/exchange.ts";

/** Both stacks put a slash behind these before an operation's action. */
export const oldNamespaces = {
  location: "http://old.example.com/2009/03",
  endpoint: "http://old.example.com/forms",
};
export const oldPaths = {
  location: "/Services/LocationUIHelper.asmx",
  endpoint: "/Services/WebFormsAjaxEndpoint.svc",
  endpoint12: "/Services/WebFormsAjaxEndpoint12.svc",
};

/** A request as it is sent. */
export interface Call {
  readonly name: string;
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Texts = Readonly<Record<string, string>>;

/**
 * A call of a service over a binding with some of its parts, at the paths and in the namespaces of
 * the old server.
 */
export function toCall(binding: BindingName, operation: string, texts: Texts): Call {
  const isLocation = operation in locationHelper.operations;
  const contract: ServiceContract = isLocation ? locationHelper : ajaxEndpoint;
  const namespace = isLocation ? oldNamespaces.location : oldNamespaces.endpoint;
  const endpoint = binding === "soap12" ? oldPaths.endpoint12 : oldPaths.endpoint;
  const path = isLocation ? oldPaths.location : endpoint;
  const description = compileBinding[binding]({ contract, namespace }).describeRequest(operation);
  const input = contract.operations[operation]?.input ?? {};
  const parts = Object.entries(input).flatMap(([name, { type }]): readonly SentPart[] => {
    const text = texts[name];
    return text === undefined || typeof type !== "string" ? [] : [{ name, type, text }];
  });
  const { method, url, headers, body } = fillRequest(description, path, parts);
  const name = `${operation} ${binding} ${JSON.stringify(texts)}`;
  return { name, method, target: url, headers, body: body ?? "" };
}

/**
 * Sends a call over a connection of its own, and resolves to all bytes of the response, as Latin-1.
 */
export function send(url: string, { method, target, headers, body }: Call): Promise<string> {
  const bytes = Buffer.from(body);
  const length = method === "GET" ? {} : { "Content-Length": bytes.length };
  const all = Object.entries({
    Host: new URL(url).host,
    ...headers,
    ...length,
    Connection: "close",
  });
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return exchange(url, `${method} ${target} HTTP/1.1\r\n${lines}\r\n`, bytes);
}

const codes = ["10001", "99999", "", "  10001 ", "K1A", "é<&>", "00501", "20500", "M5V", "19901"];
const locationBindings = locationHelper.bindings;
const endpointBindings = ajaxEndpoint.bindings;
const page = { pageRequestUrl: "https://www.example.org/contact?topic=a&b=%3Cé", form_id: "12" };
const wholePage = {
  ...page,
  trans_id: "20260314150926535",
  applicationInstance_id: "3",
  isAuthenticated: "true",
  contact_id: "-5",
  screenWidth: "1920",
  screenHeight: "1080",
  browserUserAgent_id: "0",
  crossAppSession_id: "9007199254740991",
  sessionDate: "2026-03-14T15:09:26.535Z",
  conversionHit_id: "1",
  overrideRequestMethodId: "2147483647",
};

/** Look-ups that succeed, and errors, over each binding. */
export const locationCalls: readonly Call[] = [
  ...locationBindings.flatMap((binding) => [
    ...codes.map((postalCode) => toCall(binding, "PostalCodeToCityState", { postalCode })),
    toCall(binding, "GetCityStateForPostalCode", { postalCode: "10001" }),
    toCall(binding, "GetStateListForCountryId", { countryId: "840" }),
    toCall(binding, "GetStateListForCountryId", { countryId: "99999999999" }),
    toCall(binding, "PostalCodeToCityState", {}),
    toCall(binding, "GetStateListForCountryId", {}),
    rename(toCall(binding, "PostalCodeToCityState", { postalCode: "10001" })),
  ]),
  ...(["http-get", "http-post"] as const).map((binding) =>
    change(toCall(binding, "GetStateListForCountryId", { countryId: "5" }), (text) =>
      text.replace("countryId=5", "countryId=abc"),
    ),
  ),
  ...(["soap11", "soap12"] as const).flatMap((binding) => {
    const call = toCall(binding, "PostalCodeToCityState", { postalCode: "10001" });
    return [
      change(call, (text) => text.replace(/<\/(\w+:)?Envelope>\s*$/, "")),
      change(call, (text) =>
        text.replace(
          /<(\w+:)?Body>/,
          '<$1Header><h xmlns="urn:h" $1mustUnderstand="1"/></$1Header>$&',
        ),
      ),
    ];
  }),
  {
    ...toCall("http-get", "PostalCodeToCityState", {}),
    name: "WSDL",
    target: `${oldPaths.location}?WSDL`,
  },
];

/** Page requests, and log-ins that are refused, over each binding. */
export const endpointCalls: readonly Call[] = [
  ...endpointBindings.flatMap((binding) => [
    toCall(binding, "LogPageRequestAsync", wholePage),
    toCall(binding, "LogPageRequestAsync", page),
    toCall(binding, "TryAutoLogIn", { form_id: "12", applicationInstance_id: "3" }),
    toCall(binding, "LogInUser", { userName: "alice", passWord: "wrong" }),
    toCall(binding, "LogInUser", { userName: "nobody" }),
  ]),
  ...(["soap11", "soap12"] as const).map((binding) =>
    rename(toCall(binding, "TryAutoLogIn", { form_id: "12" })),
  ),
  {
    ...toCall("soap11", "TryAutoLogIn", {}),
    name: "WSDL",
    method: "GET",
    body: "",
    headers: {},
    target: `${oldPaths.endpoint}?wsdl`,
  },
];

/** The call of an operation that does not exist. */
function rename(call: Call): Call {
  return change(call, (text) => text.replaceAll(/PostalCodeToCityState|TryAutoLogIn/g, "Nope"));
}

function change(call: Call, edit: (text: string) => string): Call {
  const headers = Object.entries(call.headers).map(([name, value]) => [name, edit(value)]);
  return {
    ...call,
    name: `${call.name}, changed`,
    target: edit(call.target),
    headers: Object.fromEntries(headers),
    body: edit(call.body),
  };
}

/**
 * Sends calls one after the other over each binding until it is stopped. Those without status 200
 * have failed.
 */
export function startLoad(url: string) {
  const found = { sent: 0, failed: [] as string[] };
  let isOver = false;
  const calls = [
    ...locationBindings.map((binding) =>
      toCall(binding, "PostalCodeToCityState", { postalCode: "10001" }),
    ),
    ...endpointBindings.map((binding) => toCall(binding, "LogPageRequestAsync", page)),
  ];
  const sending = calls.map(async (call) => {
    while (!isOver) {
      const response = await send(url, call).catch(String);
      found.sent += 1;
      if (!response.startsWith("HTTP/1.1 200 ")) found.failed.push(`${call.name}: ${response}`);
    }
  });
  return {
    stop: async () => {
      isOver = true;
      await Promise.all(sending);
      return found;
    },
  };
}
