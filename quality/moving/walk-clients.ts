import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { golden } from "@wfh/migrate/test/verify-fixture.ts";
import { ajaxEndpoint } from "@wfh/server/contract/ajax-endpoint.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { endpointNamespace } from "@wfh/server/test/test-server.ts";
import type { SoapCall, SoapTask, WsdlName } from "../interop/soap-client.ts";
import { createSoapClients } from "../interop/soap-clients.ts";
import { oldNamespaces, oldPaths } from "./walk-calls.ts";

/** Calls over SOAP 1.1 to an old server behind a proxy. */
export function clientTask(proxy: string, passWord: string): SoapTask {
  // That of Mono imports a schema which is not there, so that not all clients can read it.
  const endpoint = join(temporaryFolder(), "endpoint.wsdl");
  const wsdl = golden("ajax-endpoint.wsdl")
    .replaceAll(endpointNamespace, oldNamespaces.endpoint)
    .replaceAll(`https://forms.example.org${ajaxEndpoint.path}`, proxy + oldPaths.endpoint);
  writeFileSync(endpoint, wsdl);
  const location = `${proxy}${oldPaths.location}?WSDL`;
  const call = (name: WsdlName, operation: string, parts: SoapCall["parts"]): SoapCall => ({
    wsdl: name,
    operation,
    parts,
    sendsCookie: false,
  });
  return {
    binding: "SOAP 1.1",
    wsdls: { location, endpoint, changedLocation: location, changedEndpoint: endpoint },
    authority: null,
    calls: [
      call("location", "PostalCodeToCityState", { postalCode: "10001" }),
      call("location", "GetCityStateForPostalCode", { postalCode: "10001" }),
      call("location", "GetStateListForCountryId", { countryId: 840 }),
      call("endpoint", "LogInUser", { userName: "alice", passWord }),
      call("endpoint", "LogInUser", { userName: "alice", passWord: "wrong" }),
    ],
  };
}

/**
 * Runs the task with each client that is here; resolves to the names of those, each with what came
 * of its calls: the city, whether log-ins succeed, an error, or nothing.
 */
export async function runClients(task: SoapTask): Promise<Readonly<Record<string, unknown>>> {
  const outcomes: Record<string, unknown> = {};
  for (const { name, missing, run } of createSoapClients(task.wsdls)) {
    // Its proxies take longer to generate than all other steps.
    if (missing !== false || name === "C# (Mono)") continue;
    outcomes[name] = (await run(task)).map(({ result, fault, error }) => {
      const { City, Success } = Object(result) as Readonly<Record<string, unknown>>;
      return error ?? fault ?? City ?? String(Success);
    });
  }
  return outcomes;
}
