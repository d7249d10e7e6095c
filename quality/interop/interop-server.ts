import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { get as getPlain, type IncomingMessage } from "node:http";
import { get as getSecure } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { ajaxEndpoint } from "@wfh/server/contract/ajax-endpoint.ts";
import { locationHelper } from "@wfh/server/contract/location-helper.ts";
import { type LogInSite, openTestSite } from "@wfh/server/test/server/log-in-server.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { prepareProxy } from "../harness/tls-proxy.ts";
import type { BindingTitle, Wsdls } from "./soap-client.ts";

/** A server as clients reach it, with its accounts and forms behind it. */
export interface InteropServer extends LogInSite {
  /** Its public address, without a slash at the end. */
  readonly publicUrl: string;
  /** File with the certificate to trust, PEM; null over plain HTTP. */
  readonly authority: string | null;
  /** Documents to make clients from: of the endpoint, those at both of its addresses. */
  wsdlsFor(binding: BindingTitle): Wsdls;
}

/** Opens a server that is reached over plain HTTP, until the tests of the file are over. */
export async function openPlainServer(
  settings: Record<string, string> = {},
): Promise<InteropServer> {
  const site = await openTestSite(settings);
  return describeSite(site, site.url, null);
}

/**
 * Opens a server behind nginx, which is reached over HTTPS, until the tests of the file are over.
 *
 * @param settingsFor how the server learns its public address, which it is given.
 */
export async function openProxiedServer(
  settingsFor: (publicUrl: string) => Record<string, string>,
): Promise<InteropServer> {
  const proxy = await prepareProxy({ limitsLogIns: false });
  const site = await openTestSite(settingsFor(proxy.url));
  await proxy.start(site.url);
  return describeSite(site, proxy.url, proxy.authority);
}

async function describeSite(
  site: LogInSite,
  publicUrl: string,
  authority: string | null,
): Promise<InteropServer> {
  const folder = temporaryFolder();
  const location = `${publicUrl}${locationHelper.path}?WSDL`;
  const endpoint = `${publicUrl}${ajaxEndpoint.path}?wsdl`;
  const change = async (address: string, name: string) => {
    const file = join(folder, name);
    writeFileSync(file, changeWsdl(await getText(address, authority)));
    return file;
  };
  const wsdls = {
    location,
    endpoint,
    changedLocation: await change(location, "location.wsdl"),
    changedEndpoint: await change(endpoint, "endpoint.wsdl"),
  };
  const single = { ...wsdls, endpoint: `${publicUrl}${ajaxEndpoint.path}?singleWsdl` };
  return {
    ...site,
    publicUrl,
    authority,
    wsdlsFor: (binding) => (binding === "SOAP 1.2" ? single : wsdls),
  };
}

/**
 * Copies a WSDL with mistakes, so that clients made from it send what the service does not know:
 * one operation has another name, and numbers and dates are declared as text. Addresses stay.
 */
function changeWsdl(wsdl: string): string {
  const renamed = wsdl
    .replaceAll("GetCityStateForPostalCode", "GetCityForPostalCode")
    .replaceAll("LogInUser", "LogOutUser");
  return renamed.replace(
    /(name="(?:countryId|form_id|sessionDate)" type="\w+:)(?:int|long|dateTime)"/g,
    '$1string"',
  );
}

/**
 * Resolves to the text of a document.
 *
 * @param authority file with the certificate to trust, PEM; null over plain HTTP.
 */
export async function getText(url: string, authority: string | null): Promise<string> {
  const request =
    authority === null ? getPlain(url) : getSecure(url, { ca: readFileSync(authority) });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const body = await text(response);
  if (response.statusCode !== 200) throw new Error(`${url} responds ${response.statusCode}`);
  return body;
}
