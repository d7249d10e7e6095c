import { escapeHtml } from "../../codec/text.ts";
import { type DescribedService, operationsOf } from "../described-service.ts";
import { html, type Markup } from "../markup.ts";
import { scriptProxyName } from "../proxy/script-proxy.ts";
import { phpLiteral, quotedLiteral, scriptValue, urlWord } from "../samples/literals.ts";
import { sampleCall } from "../samples/sample-call.ts";
import { renderSampleTabs } from "./elements.ts";

/** The section on clients, by language. */
export function renderClients(service: DescribedService): Markup {
  return html`<section aria-labelledby="clients"><h2 id="clients">Clients</h2>
    ${renderSampleTabs("client", recipesFor(service))}</section>`;
}

/** Steps to generate or write a client in each language. */
function recipesFor(service: DescribedService) {
  const { address } = service;
  const wsdl = `${address}?wsdl`;
  const word = urlWord(wsdl);
  return [
    {
      language: "C#",
      code: `dotnet tool install --global dotnet-svcutil\ndotnet-svcutil ${word}\n\n# .NET Framework and Mono\nwsdl ${word}`,
      note: "In Visual Studio, choose Add > Service Reference and enter the address of the WSDL.",
    },
    {
      language: "PHP",
      code: `$client = new SoapClient(${phpLiteral(wsdl)});\nprint_r($client->__getFunctions());`,
      note: "Requires the soap extension of PHP.",
    },
    {
      language: "Python",
      code: `import zeep\n\nclient = zeep.Client(${quotedLiteral(wsdl)})\nclient.wsdl.dump()`,
      note: "Requires the package zeep.",
    },
    {
      language: "Java",
      code: `wsimport -keep ${word}`,
      note: "Use wsimport of Eclipse Metro, or wsdl2java of Apache CXF.",
    },
    {
      language: "Web page",
      code: `<script src="${escapeHtml(`${address}/js`)}"></script>\n<script>\n${scriptCall(service)}\n</script>`,
      note: `The script proxy needs no library. On a page of another site, call ${scriptProxyName(service)}.set_path(${quotedLiteral(address)}) first, and add the origin of the page to WFH_ALLOWED_ORIGINS.`,
    },
  ];
}

/** A call of the first operation through the script proxy; parameters are positional. */
function scriptCall(service: DescribedService): string {
  const [[name, { input }] = ["", { input: {} }]] = operationsOf(service);
  const { sent } = sampleCall(service, name, "example");
  const values = Object.keys(input).map((part) => {
    const given = sent.find((one) => one.name === part);
    return given === undefined ? "undefined" : scriptValue(given);
  });
  const lines = [
    ...values,
    "(result) => console.log(result)",
    "(error) => console.error(error.get_message())",
  ];
  return `${scriptProxyName(service)}.${name}(\n  ${lines.join(",\n  ")}\n);`;
}
