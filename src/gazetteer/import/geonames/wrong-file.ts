/** Bytes that are looked at: more than any first line of a postal file. */
const lookedAt = 8192;

const wanted = "expected a postal file of GeoNames, https://download.geonames.org/export/zip/";

/**
 * What the start of a text says when it is no postal file: the usual mistakes by name, from the most
 * to the least telling sign. Undefined when its first line may be one of a postal file.
 */
export function describeWrongFile(start: Uint8Array): string | undefined {
  const bytes = Buffer.from(start.buffer, start.byteOffset, Math.min(start.length, lookedAt));
  const isUtf16 =
    (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (isUtf16) return "is UTF-16: save it as UTF-8";
  const text = bytes.toString("latin1").replace(/^\u00ef\u00bb\u00bf/, "");
  if (/^\s*<(?:!doctype|html|\?xml|head|body)/i.test(text)) {
    return `is a web page or XML, perhaps an error page of a download: ${wanted}`;
  }
  if (/^WFHGAZ/.test(text)) return "is a gazetteer already: WFH_GAZETTEER can name it";
  if (text.includes("\0")) return `is binary, not text: ${wanted}`;
  const line = text.split(/\r?\n/, 1)[0] ?? "";
  const columns = line.split("\t").length;
  if (columns === 12 || columns === 11) return undefined;
  if (columns === 19) {
    return (
      "is a gazetteer dump of GeoNames (19 columns, from export/dump/). The postal file has the " +
      "same name and 12 columns: https://download.geonames.org/export/zip/"
    );
  }
  if (columns > 1) return `has ${columns} columns in line 1, not 12 (or 11): ${wanted}`;
  for (const [delimiter, word] of delimiters) {
    if (line.split(delimiter).length < 3) continue;
    return (
      `has its columns separated by ${word}, not by tabs: ${wanted}. To import a table ` +
      "with a header, use: wfh import places"
    );
  }
  return `has no tab in line 1, which begins with ${JSON.stringify(line.slice(0, 40))}: ${wanted}`;
}

const delimiters: readonly (readonly [string, string])[] = [
  [";", "semicolons"],
  [",", "commas"],
  ["|", "bars"],
];
