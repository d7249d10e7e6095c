import { ajaxEndpoint } from "../../src/contract/ajax-endpoint.ts";
import { locationHelper } from "../../src/contract/location-helper.ts";
import { restApi } from "../../src/contract/rest-api.ts";
import {
  type DescribedApi,
  type DescribedService,
  isRestApi,
} from "../../src/metadata/described-service.ts";
import {
  type MessageSample,
  resourceMessages,
  sampleMessages,
} from "../../src/metadata/samples/sample-messages.ts";
import { PasswordHasher } from "../../src/secrets/password-hashing.ts";
import { type LogInSite, openTestSite } from "../server/log-in-server.ts";
import { endpointNamespace, locationNamespace } from "../test-server.ts";

/** Both services of the contract under one address. */
export function describeServices(baseUrl: string) {
  return {
    location: {
      contract: locationHelper,
      namespace: locationNamespace,
      address: baseUrl + locationHelper.path,
    },
    endpoint: {
      contract: ajaxEndpoint,
      namespace: endpointNamespace,
      address: baseUrl + ajaxEndpoint.path,
    },
  } as const satisfies Record<string, DescribedService>;
}

/** The REST API under an address. */
export function describeApi(baseUrl: string): DescribedApi {
  return { contract: restApi, address: baseUrl + restApi.path };
}

/** The messages of an operation with the values of its example, over every binding. */
export function messagesOf(
  service: DescribedApi | DescribedService,
  operation: string,
): readonly MessageSample[] {
  return isRestApi(service)
    ? [resourceMessages(service, operation)]
    : sampleMessages(service, operation, "example");
}

/** Opens a server with the account of the log-in's example; closes it after the file's tests. */
export async function openSampleSite(): Promise<LogInSite> {
  const site = await openTestSite();
  const { input, result } = ajaxEndpoint.operations.LogInUser.example;
  const work = { memoryKib: 8, passes: 1, lanes: 1 };
  const hashing = new PasswordHasher({ hashesAtOnce: 1, work });
  const hash = await hashing.hash(input.passWord ?? "");
  const account = {
    recordId: result.Record_Id,
    contactId: result.Contact_Id,
    userName: input.userName ?? "",
    hash,
    hashForm: hashing.formOf(hash),
  };
  await site.office.addAccount(account, Date.now());
  return site;
}

/** XML or JSON without the white space that indents it: between tags, and outside of strings. */
export function withoutLayout(text: string): string {
  return text.startsWith("<")
    ? text.replace(/>\s+</g, "><")
    : text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");
}
