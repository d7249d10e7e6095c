import { readFileSync } from "node:fs";
import { Agent } from "node:https";
import { type Client, ClientSSLSecurity, createClientAsync } from "soap";
import type { SoapCall, SoapOutcome, SoapTask, WsdlName } from "./soap-client.ts";

/** Options of node-soap, by its own names. */
export type NodeSoapOptions = Readonly<Record<string, unknown>>;

/** Makes calls with clients of node-soap, in this process. */
export async function runNodeSoap(
  task: SoapTask,
  options: NodeSoapOptions,
): Promise<readonly SoapOutcome[]> {
  const clients = new Map<WsdlName, Client>();
  const outcomes: SoapOutcome[] = [];
  let cookie = "";
  for (const call of task.calls) {
    const client = clients.get(call.wsdl) ?? (await openClient(task, call.wsdl, options));
    clients.set(call.wsdl, client);
    if (call.sendsCookie) client.addHttpHeader("Cookie", cookie);
    outcomes.push(await outcomeOf(client, call));
    const [line]: readonly string[] = client.lastResponseHeaders?.["set-cookie"] ?? [];
    cookie = line?.split(";")[0] ?? cookie;
  }
  return outcomes;
}

async function openClient(task: SoapTask, name: WsdlName, options: NodeSoapOptions) {
  const ca = task.authority === null ? undefined : readFileSync(task.authority);
  const client = await createClientAsync(task.wsdls[name], {
    ...options,
    // It caches a WSDL with the options of the first client that read it.
    disableCache: true,
    forceSoap12Headers: task.binding === "SOAP 1.2",
    wsdl_options: ca === undefined ? {} : { httpsAgent: new Agent({ ca }) },
  });
  if (ca !== undefined) client.setSecurity(new ClientSSLSecurity("", "", ca, {}));
  return client;
}

async function outcomeOf(client: Client, { operation, parts }: SoapCall): Promise<SoapOutcome> {
  let result: unknown = null;
  let fault: SoapOutcome["fault"] = null;
  let error: string | null = null;
  try {
    const [response] = await client[`${operation}Async`](parts);
    result = response?.[`${operation}Result`] ?? null;
  } catch (raised) {
    fault = faultOf(raised);
    if (fault === null) error = String(raised);
  }
  const mediaType = String(client.lastResponseHeaders?.["content-type"]).split(";")[0] ?? "";
  return { mediaType, result, fault, error };
}

/** A fault as node-soap gives it: the response's tree, with each SOAP version's names. */
interface RaisedFault {
  readonly faultcode?: string;
  readonly faultstring?: Text;
  readonly Code?: { readonly Value: string };
  readonly Reason?: { readonly Text: Text };
}

/** Text of an element; with its attributes where it has some. */
type Text = string | { readonly $value: string };

function faultOf(raised: unknown): SoapOutcome["fault"] {
  const { root } = raised as { root?: { Envelope?: { Body?: { Fault?: RaisedFault } } } };
  const fault = root?.Envelope?.Body?.Fault;
  if (fault === undefined) return null;
  const text = fault.faultstring ?? fault.Reason?.Text ?? "";
  return {
    code: fault.faultcode ?? fault.Code?.Value ?? "",
    text: typeof text === "string" ? text : text.$value,
  };
}
