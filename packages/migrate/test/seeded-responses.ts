import type { WholeResponse } from "../src/compare/whole-response.ts";

/** A response with one change, and where a comparison has to find it. */
export interface Seed {
  readonly name: string;
  readonly response: WholeResponse;
  readonly path: string;
  readonly kind: string;
}

/** All changes of one response: of its status, its headers, and each value of its body. */
export function seedChanges(response: WholeResponse): readonly Seed[] {
  const text = Buffer.from(response.body).toString();
  const bodies = text.startsWith("<") ? seedXml(text) : text.startsWith("{") ? seedJson(text) : [];
  const toSeed = ([name, body, path, kind]: BodySeed): Seed => ({
    name,
    path,
    kind,
    response: { ...response, body: Buffer.from(body) },
  });
  return [...seedHead(response), ...bodies.map(toSeed)];
}

type BodySeed = readonly [name: string, body: string, path: string, kind: string];

function seedHead(response: WholeResponse): readonly Seed[] {
  const { headers } = response;
  const withHeader = (name: string, value: string) => {
    const at = headers.findIndex((text, i) => i % 2 === 0 && text === name);
    const rest = at < 0 ? headers : headers.toSpliced(at, 2);
    return { ...response, headers: value === "" ? rest : [...rest, name, value] };
  };
  const header = (name: string, value: string, kind: string): Seed => ({
    name: `${name}: ${value}`,
    path: `headers/${name}`,
    kind,
    response: withHeader(name, value),
  });
  const status = { name: "status", path: "status", kind: "value" };
  return [
    { ...status, response: { ...response, status: 503 } },
    header("Content-Type", "", "missing"),
    header("Content-Type", "text/css", "value"),
    header("Cache-Control", "public, max-age=60", "value"),
    header("Set-Cookie", "a=secret; Path=/", "added"),
    header("Location", "/elsewhere", "added"),
    header("WWW-Authenticate", "Basic realm=x", "added"),
  ];
}

const leaf = /<([\w:]+)>([^<]+)<\/\1>/g;
const schemaInstance = 'xmlns:i="http://www.w3.org/2001/XMLSchema-instance"';

function seedXml(text: string): readonly BodySeed[] {
  return [...text.matchAll(leaf)].flatMap(([whole, tag = "", value = ""], i, all) => {
    const at = all[i]?.index ?? 0;
    const replace = (other: string) => text.slice(0, at) + other + text.slice(at + whole.length);
    const parent = pathAt(text, at);
    const name = tag.replace(/.*:/, "");
    const path = `${parent}${name}`;
    const changes: BodySeed[] = [
      ["value", replace(`<${tag}>${otherValue(value)}</${tag}>`), path, "value"],
      ["white space in text", replace(`<${tag}>${value} </${tag}>`), path, "value"],
      ["empty", replace(`<${tag} />`), path, "value"],
      ["missing", replace(""), path, "missing"],
      ["nil", replace(`<${tag} i:nil="true" ${schemaInstance} />`), path, "nil"],
      ["other name", replace(`<${tag}x>${value}</${tag}x>`), path, "missing"],
      ["extra element", replace(`${whole}<Extra>1</Extra>`), `${parent}Extra`, "added"],
      ["twice", replace(whole + whole), `${path}[2]`, "added"],
      ["attribute", replace(`<${tag} a="1">${value}</${tag}>`), `${path}/@a`, "added"],
      ["namespace", replace(otherNamespace(tag, value)), path, "namespace or type"],
    ];
    const next = /^<([\w:]+)>[^<]*<\/\1>/.exec(text.slice(at + whole.length))?.[0];
    if (next !== undefined) {
      const body = text.slice(0, at) + next + whole + text.slice(at + whole.length + next.length);
      changes.push(["order", body, parent.replace(/\/$/, ""), "order"]);
    }
    // There is one message for all refused log-ins: another text is explained.
    return changes.filter(([change]) => name !== "ErrorMessage" || !/value|white/.test(change));
  });
}

function otherNamespace(tag: string, value: string): string {
  const name = tag.replace(/.*:/, "");
  return `<z:${name} xmlns:z="urn:other">${value}</z:${name}>`;
}

function otherValue(value: string): string {
  if (/^\d+$/.test(value)) return String(BigInt(value) + 1n);
  return value === "true" ? "false" : value === "false" ? "true" : `${value}x`;
}

/** Names of the elements that are open at an offset, as paths of differences have them. */
function pathAt(text: string, at: number): string {
  const open: string[] = [];
  for (const [tag, end, name = ""] of text.slice(0, at).matchAll(/<(\/?)([\w:]+)[^>]*>/g)) {
    if (end === "/") open.pop();
    else if (!tag.endsWith("/>")) open.push(name.replace(/.*:/, ""));
  }
  const path = open.map((name) => `${name}/`).join("");
  return path.replace(/^Envelope\/Body\/(?:\w+Response\/)?/, "");
}

const member = /"(\w+)":("[^"]*"|\d+|true|false|null)/g;

function seedJson(text: string): readonly BodySeed[] {
  return [...text.matchAll(member)].flatMap(([whole, name = "", value = ""], i, all) => {
    const at = all[i]?.index ?? 0;
    const replace = (other: string) => text.slice(0, at) + other + text.slice(at + whole.length);
    const path = parentAt(text, at) + name;
    const isText = value.startsWith('"');
    const other = isText ? `"x${value.slice(1)}` : otherValue(value);
    const otherType = isText || value === "null" ? "1" : `"${value}"`;
    const changes: BodySeed[] = [
      ["type", replace(`"${name}":${otherType}`), path, "namespace or type"],
      ["other name", replace(`"${name}X":${value}`), path, "missing"],
      ["duplicate member", replace(`${whole},${whole}`), `${path}[2]`, "added"],
    ];
    const isFixed = value === "null" || (name === "ErrorMessage" && isText);
    if (!isFixed) changes.push(["value", replace(`"${name}":${other}`), path, "value"]);
    if (value !== "null") {
      changes.push(["null", replace(`"${name}":null`), path, "namespace or type"]);
    }
    return changes;
  });
}

function parentAt(text: string, at: number): string {
  const open: string[] = [];
  for (const [token, name = ""] of text.slice(0, at).matchAll(/(?:"(\w+)":)?\{|\}/g)) {
    if (token === "}") open.pop();
    else open.push(name);
  }
  return open.map((name) => (name === "" ? "" : `${name}/`)).join("");
}
