import { isRunning } from "../harness/programs.ts";
import { compileMonoClient, type MonoClient, monoBindings } from "./mono-proxies.ts";
import { type NodeSoapOptions, runNodeSoap } from "./node-soap-client.ts";
import { runScript } from "./run-client.ts";
import type { BindingTitle, Shown, SoapClient, Wsdls } from "./soap-client.ts";

/** Python of the system, since Debian's zeep is for no other. */
const python = "/usr/bin/python3";
const overSoap: readonly BindingTitle[] = ["SOAP 1.1", "SOAP 1.2"];

/** Clients that tell types; they print integers as `"integer 12"`, to be no floats. */
const typed: Shown = {
  int: (value) => `integer ${value}`,
  long: (value) => `integer ${value}`,
  boolean: (value) => value,
  nilText: null,
  nilShape: () => null,
};

/** Missing program with the packages that have it; false when it is there. */
function unless(isThere: boolean, what: string, packages: string): string | false {
  return isThere ? false : `there is no ${what}: apt-get install ${packages}`;
}

/** Missing program of each client, and how to install it; false where it is there. */
export const missingClients = {
  php: unless(
    isRunning("php", ["-r", "exit(class_exists('SoapClient') ? 0 : 1);"]),
    "PHP with SOAP",
    "php-cli php-soap",
  ),
  zeep: unless(isRunning(python, ["-c", "import zeep"]), "zeep", "python3-zeep"),
  soapLite: unless(
    isRunning("perl", ["-MSOAP::Lite", "-MLWP::Protocol::https", "-e", "1"]),
    "SOAP::Lite",
    "libsoap-lite-perl",
  ),
  // It is among the packages of the project.
  nodeSoap: false,
  simpleXml: unless(
    isRunning("php", ["-r", "exit(function_exists('simplexml_load_string') ? 0 : 1);"]),
    "PHP with SimpleXML",
    "php-cli php-xml",
  ),
  uspsWebTools: unless(
    isRunning("perl", [
      "-MBusiness::US::USPS::WebTools::CityStateLookup",
      "-MMojo::UserAgent",
      "-MIO::Socket::SSL",
      "-e",
      "1",
    ]),
    "Business::US::USPS::WebTools",
    "libbusiness-us-usps-webtools-perl libmojolicious-perl libio-socket-ssl-perl",
  ),
  mono: unless(isRunning("which", ["mono", "mcs", "wsdl"]), "Mono with wsdl and mcs", "mono-devel"),
} as const;

const php: SoapClient = {
  name: "PHP",
  bindings: overSoap,
  missing: missingClients.php,
  shown: typed,
  // It takes `Secure` for what it is only in small letters.
  cookies: "sent",
  run: (task) => runScript("php", "php-client.php", task),
};

const zeep: SoapClient = {
  name: "zeep",
  bindings: overSoap,
  missing: missingClients.zeep,
  shown: {
    ...typed,
    nilShape: (members) => Object.fromEntries(members.map((member) => [member, null])),
  },
  cookies: "sent over HTTPS",
  run: (task) => runScript(python, "zeep-client.py", task),
};

const soapLite: SoapClient = {
  name: "SOAP::Lite",
  bindings: overSoap,
  missing: missingClients.soapLite,
  // Without types in the response everything is text.
  shown: { int: String, long: String, boolean: String, nilText: null, nilShape: () => null },
  cookies: "not sent",
  run: (task) => runScript("perl", "soap-lite-client.pl", task),
};

function nodeSoap(name: string, options: NodeSoapOptions, long: Shown["long"]): SoapClient {
  return {
    name,
    bindings: overSoap,
    missing: missingClients.nodeSoap,
    shown: { ...typed, int: Number, long, nilText: undefined, nilShape: () => undefined },
    cookies: "not sent",
    run: (task) => runNodeSoap(task, options),
  };
}

/** Proxies of Mono, generated from these documents and compiled with the first call. */
function mono(wsdls: Wsdls): SoapClient {
  let client: Promise<MonoClient> | undefined;
  return {
    name: "C# (Mono)",
    bindings: monoBindings,
    missing: missingClients.mono,
    shown: typed,
    cookies: "not sent",
    run: async (task) => {
      client ??= compileMonoClient(wsdls);
      return (await client).run(task);
    },
  };
}

/**
 * The clients, each as its users get it.
 *
 * @param wsdls Documents that code is generated from, where a client needs that; plain HTTP.
 */
export function createSoapClients(wsdls: Wsdls): readonly SoapClient[] {
  return [
    php,
    zeep,
    soapLite,
    // It has no other numbers than those of JavaScript.
    nodeSoap("node-soap", {}, Number),
    nodeSoap("node-soap, long as text", { customDeserializer: { long: String } }, String),
    mono(wsdls),
  ];
}
