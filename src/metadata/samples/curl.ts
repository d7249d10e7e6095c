import { bindings } from "../../contract/bindings.ts";
import { isOffered } from "../described-service.ts";
import { shellWord } from "./literals.ts";
import { type SampleCall, sentParts } from "./sample-call.ts";
import { indentJson, requestJson } from "./sample-json.ts";

/** A command of a POSIX shell that makes a call: over HTTP GET where the service offers it, else as JSON. */
export function curlCall(call: SampleCall): string {
  const { service, name } = call;
  const { options, data } = isOffered(service, "http-get") ? getCall(call) : jsonCall(call);
  const command = ["curl", ...options, shellWord(`${service.address}/${name}`)].join(" ");
  return [command, ...data].join(" \\\n  ");
}

/** What stands before the address, and what on the lines behind it. */
interface Words {
  readonly options: readonly string[];
  readonly data: readonly string[];
}

function getCall(call: SampleCall): Words {
  return {
    // A void operation answers without a body: without the head there would be nothing to see.
    options: call.result === undefined ? ["--get", "--include"] : ["--get"],
    data: sentParts(call).map(
      ({ name, text }) => `--data-urlencode ${shellWord(`${name}=${text}`)}`,
    ),
  };
}

function jsonCall(call: SampleCall): Words {
  const type = `Content-Type: ${bindings.json.requestMediaType}; charset=utf-8`;
  const body = indentJson(requestJson(call));
  return {
    options: [],
    data: [`--header ${shellWord(type)}`, `--data-raw ${shellWord(body)}`],
  };
}
