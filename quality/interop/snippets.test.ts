import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { compileJsonObject } from "@wfh/server/codec/json/writer.ts";
import { ajaxEndpoint } from "@wfh/server/contract/ajax-endpoint.ts";
import type { BindingName } from "@wfh/server/contract/bindings.ts";
import type { Operation, Shape, ShapeValue } from "@wfh/server/contract/operation.ts";
import { type DescribedService, operationsOf } from "@wfh/server/metadata/described-service.ts";
import { codeSamples } from "@wfh/server/metadata/samples/code-samples.ts";
import { sampleMessages } from "@wfh/server/metadata/samples/sample-messages.ts";
import {
  describeServices,
  openSampleSite,
  withoutLayout,
} from "@wfh/server/test/metadata/sample-site.ts";
import { isRunning, runProgram } from "../harness/programs.ts";
import { missingDotnet, runDotnet } from "./snippets-dotnet.ts";
import { missingClients } from "./soap-clients.ts";

const site = await openSampleSite();
const { location, endpoint } = describeServices(site.url);

/** An operation that was called with the values of its example. */
interface Called {
  readonly service: DescribedService;
  readonly binding: BindingName;
  readonly name: string;
  readonly operation: Operation;
}

/** A language with what runs its snippets. */
interface Language {
  readonly name: string;
  /** Why its snippets cannot be run here; false where they can. */
  readonly missing: string | false;
  /** Bindings over which they can be run; all by default. */
  readonly bindings?: readonly BindingName[];
  run(programs: readonly string[], service: DescribedService): Promise<readonly string[]>;
  /** Checks that a snippet printed the service's response. */
  check(output: string, called: Called): void;
}

const languages: readonly Language[] = [
  {
    name: "curl",
    missing: !isRunning("curl", ["--version"]) && "there is no curl: apt-get install curl",
    run: each("bash", ["-s"]),
    check: (output, called) => {
      if (isEmpty(called)) assert.match(output, /^HTTP\/1\.1 200 OK\r\n/);
      else assert.equal(withoutLayout(output.trim()), responseOf(called));
    },
  },
  {
    name: "fetch",
    missing: false,
    run: each(process.execPath, ["--input-type=module", "-"]),
    check: (output, called) => {
      // The program reads 64-bit ids in JSON as text.
      const wanted = isEmpty(called) ? "200" : responseOf(called);
      const isJson = called.binding === "json";
      const asText = isJson ? wanted.replace(/("\w+_Id":)(\d+)/g, '$1"$2"') : wanted;
      assert.equal(withoutLayout(output.trim()), asText);
    },
  },
  {
    name: "C#",
    missing: missingDotnet,
    // What Mono can run: HttpClient is of .NET.
    bindings: ["soap11", "soap12"],
    run: runDotnet,
    check: (output, { operation: { result, example } }) => {
      const lines =
        result === undefined ? ["Done."] : linesOf(result, example?.result as ShapeValue<Shape>);
      assert.deepEqual(output.trimEnd().split("\n"), lines);
    },
  },
  {
    name: "PHP",
    missing: missingClients.php,
    // It would keep the WSDL of another server that had the same port a while ago.
    run: each("php", ["-d", "soap.wsdl_cache_enabled=0"]),
    check: (output, called) => {
      const { name, operation, binding } = called;
      if (!binding.startsWith("soap")) {
        assert.equal(withoutLayout(output.trim()), responseOf(called));
        return;
      }
      const result = soapJson(operation);
      const wanted = result === "null" ? "{}" : `{"${name}Result":${result}}`;
      assert.equal(withoutLayout(output.trim()), wanted);
    },
  },
  {
    name: "Python",
    missing: missingClients.zeep,
    // Python of the system, since Debian's zeep is for no other.
    run: each("/usr/bin/python3", ["-"]),
    check: (output, called) => {
      const { operation, binding } = called;
      const isSoap = binding.startsWith("soap");
      const wanted = isEmpty(called) ? "200" : responseOf(called);
      assert.equal(
        withoutLayout(isSoap ? jsonOfPython(output) : output.trim()),
        isSoap ? soapJson(operation) : wanted,
      );
    },
  },
];

function each(program: string, args: readonly string[]): Language["run"] {
  return async (programs) => {
    const outputs: string[] = [];
    for (const input of programs) outputs.push(await runProgram(program, args, { input }));
    return outputs;
  };
}

function messageOf({ service, name, binding }: Pick<Called, "service" | "name" | "binding">) {
  const messages = sampleMessages(service, name, "example");
  const message = messages.find((one) => one.binding === binding);
  assert.ok(message);
  return message;
}

/** True for a response without body: of a void operation over HTTP GET and POST. */
function isEmpty(called: Called): boolean {
  return messageOf(called).response.body === "";
}

function responseOf(called: Called): string {
  return withoutLayout(messageOf(called).response.body);
}

/** Result of an example in SOAP, as JSON; `null` for a void operation. */
function soapJson({ result, example }: Operation): string {
  if (result === undefined) return "null";
  return compileJsonObject(result, { binding: "soap11" })(example?.result as ShapeValue<Shape>);
}

/** Output of zeep, as JSON; nil is an object of nothing. No text of the examples has quotes. */
function jsonOfPython(output: string): string {
  const words: Readonly<Record<string, string>> = { None: "null", True: "true", False: "false" };
  return output
    .replace(/\b(?:None|True|False)\b/g, (word) => words[word] ?? word)
    .replaceAll("'", '"')
    .replace(/\{(?:\s*"\w+": null,?)+\s*\}/g, "null");
}

/** The scalars of a result by their paths, as .NET writes them. */
function linesOf({ parts }: Shape, value: ShapeValue<Shape>, path = ""): readonly string[] {
  const values: Readonly<Record<string, unknown>> = value;
  return Object.entries(parts).flatMap(([name, { type, nilOver }]) => {
    if (nilOver?.includes("soap11")) return [];
    const member = values[name];
    if (typeof type !== "string") {
      return linesOf(type, member as ShapeValue<Shape>, `${path}${name}.`);
    }
    const text = type === "boolean" ? (member === true ? "True" : "False") : String(member ?? "");
    return [`${path}${name}: ${text}`];
  });
}

function codeOf(language: string, called: Parameters<typeof messageOf>[0]): string {
  const samples = codeSamples(called.service, called.name, messageOf(called));
  const found = samples.find((one) => one.language === language);
  assert.ok(found, `there is no snippet of ${language}`);
  return found.code;
}

/** URL of characters that are special in one of the languages or on one of the wires. */
const hostileUrl = [
  "https://forms.example/a b?c=\"1\"&d='2'",
  "&e=\\n\\\\3\n$HOME $",
  "{x}`id`%41 <?php ?> ]]> #é😀\u2028.",
].join("");

const { LogPageRequestAsync } = ajaxEndpoint.operations;
const hostileInput = { ...LogPageRequestAsync.example.input, pageRequestUrl: hostileUrl };
const hostile: DescribedService = {
  ...endpoint,
  contract: {
    ...ajaxEndpoint,
    operations: {
      LogPageRequestAsync: { ...LogPageRequestAsync, example: { input: hostileInput } },
    },
  },
};

/** Stored row of the hostile input. */
const stored = {
  form_id: hostileInput.form_id,
  trans_id: hostileInput.trans_id,
  page_url: hostileUrl,
  application_instance_id: BigInt(hostileInput.applicationInstance_id ?? 0),
  is_authenticated: hostileInput.isAuthenticated === true ? 1n : 0n,
  contact_id: hostileInput.contact_id,
  screen_width: BigInt(hostileInput.screenWidth ?? 0),
  screen_height: BigInt(hostileInput.screenHeight ?? 0),
  browser_user_agent_id: hostileInput.browserUserAgent_id,
  cross_app_session_id: hostileInput.crossAppSession_id,
  session_date: hostileInput.sessionDate?.text,
  conversion_hit_id: hostileInput.conversionHit_id,
  override_request_method_id: BigInt(hostileInput.overrideRequestMethodId ?? 0),
};

for (const { name: language, missing, bindings, run, check } of languages) {
  describe(`a snippet of ${language}`, { skip: missing, timeout: 120_000 }, () => {
    for (const service of [location, endpoint]) {
      for (const binding of service.contract.bindings) {
        if (bindings !== undefined && !bindings.includes(binding)) continue;
        test(`prints the response of ${service.contract.name} over ${binding}, for every operation`, async () => {
          const operations = operationsOf(service);
          const programs = operations.map(([name]) => codeOf(language, { service, name, binding }));
          const outputs = await run(programs, service);
          assert.equal(outputs.length, operations.length);
          for (const [index, [name, operation]] of operations.entries()) {
            check(outputs[index] ?? "", { service, binding, name, operation });
          }
        });
      }
    }

    for (const binding of endpoint.contract.bindings) {
      if (bindings !== undefined && !bindings.includes(binding)) continue;
      test(`tells every value to the last digit and letter over ${binding}`, async () => {
        const called = { service: hostile, name: "LogPageRequestAsync", binding };
        await run([codeOf(language, called)], hostile);
        const columns = Object.keys(stored).join();
        const [row] = site.sql(`select ${columns} from page_requests order by id desc limit 1`);
        assert.deepEqual({ ...row }, stored);
      });
    }
  });
}
