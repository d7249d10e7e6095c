import { ajaxEndpoint } from "../src/contract/ajax-endpoint.ts";

/** A password that is right for every account of a benchmark. */
export const rightPassword = "five small grey pigeons";
/** Names of the work that is log-ins with right passwords, and the binding of each. */
export const logInWork = { "log-ins-json": "json", "log-ins-soap11": "soap11" } as const;
/** Bindings that log-ins are timed over. */
export type LogInBinding = (typeof logInWork)[keyof typeof logInWork];

/** Accounts of a benchmark. */
export const accountCount = 1_000;

/** Name of the account with this number, from 0. */
export function accountName(i: number): string {
  return `user-${i}`;
}

/** One log-in. */
export interface LogInCall {
  readonly binding: LogInBinding;
  readonly userName: string;
  readonly password: string;
  /** Number of the network that the caller is in, as a trusted proxy would say; null without a proxy. */
  readonly network: number | null;
}

/** What the response to a successful log-in holds. */
export const logInSuccess: Readonly<Record<LogInBinding, string>> = {
  json: '"Success":true',
  soap11: "Success>true<",
};

/** A log-in as a client that keeps its connection sends it. */
export function writeLogIn({ binding, userName, password, network }: LogInCall): Buffer {
  const { path, type, body } = parts[binding](userName, password);
  const sender = network === null ? "" : `X-Forwarded-For: ${addressOf(network)}\r\n`;
  const host = `Host: 127.0.0.1\r\nConnection: keep-alive\r\n${sender}`;
  const length = Buffer.byteLength(body);
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\n${host}${type}Content-Length: ${length}\r\n\r\n${body}`,
  );
}

/** Log-ins with right passwords, one for each account, all from a network of their own. */
export function rightLogIns(binding: LogInBinding): readonly Buffer[] {
  return Array.from({ length: accountCount }, (_, i) =>
    writeLogIn({ binding, userName: accountName(i), password: rightPassword, network: i }),
  );
}

const name = "LogInUser";
const namespace = "http://tempuri.org/";

const parts = {
  json: (userName: string, passWord: string) => ({
    path: `${ajaxEndpoint.path}/${name}`,
    type: "Content-Type: application/json; charset=utf-8\r\n",
    body: JSON.stringify({ userName, passWord }),
  }),
  soap11: (userName: string, passWord: string) => ({
    path: ajaxEndpoint.path,
    type: `Content-Type: text/xml; charset=utf-8\r\nSOAPAction: "${namespace}${ajaxEndpoint.interfaceName}/${name}"\r\n`,
    body:
      '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>' +
      `<${name} xmlns="${namespace}"><userName>${userName}</userName><passWord>${passWord}</passWord>` +
      `</${name}></s:Body></s:Envelope>`,
  }),
};

/** An address in the network of this number; there are 2 ** 24 of them. */
function addressOf(network: number): string {
  return `${(network >> 16) & 255}.${(network >> 8) & 255}.${network & 255}.7`;
}
