/** A place where a caller can put a secret: what is sent with it, and where. */
export type SentinelRequest = readonly [where: string, send: (secret: string) => string | Buffer];

/** Types of bodies, as fields. */
export const json = "Content-Type: application/json";
/** As {@link json}. */
export const xml = "Content-Type: text/xml";

/** A whole request, with the length of its body. */
export function request(line: string, fields: readonly string[], body?: string | Buffer): Buffer {
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const host = fields.some((field) => /^host:/i.test(field)) ? [] : ["Host: 127.0.0.1"];
  const head = [`${line} HTTP/1.1`, ...host, ...fields, ...length].join("\r\n");
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), Buffer.from(body ?? "")]);
}
/** A POST of a body. */
export const post = (target: string, type: string, body: string | Buffer) =>
  request(`POST ${target}`, [type], body);
