/**
 * Spreads the WSDL of the AJAX endpoint over documents that import each other, as WCF does: service
 * and bindings in the namespace of the service class, `wsdl0` with the portType, and `xsd0` with
 * the schema.
 *
 * @param placeOf how a document is named in the imports, by `wsdl`, `wsdl0` or `xsd0`; the keys of
 *   the result.
 */
export function splitLikeWcf(
  wsdl: string,
  placeOf: (part: string) => string,
): ReadonlyMap<string, string> {
  const escaped = (part: string) => placeOf(part).replaceAll("&", "&amp;");
  const namespace = /targetNamespace="([^"]*)"/.exec(wsdl)?.[1] ?? "";
  const [, root = ""] = /(<wsdl:definitions[^>]*>)/.exec(wsdl) ?? [];
  const all = (name: string) =>
    [...wsdl.matchAll(new RegExp(`<wsdl:${name} [\\s\\S]*?</wsdl:${name}>`, "g"))].join("");
  const [schema = ""] = /<xs:schema[\s\S]*<\/xs:schema>/.exec(wsdl) ?? [];
  const types = `<wsdl:types><xsd:schema targetNamespace="${namespace}/Imports" xmlns:xsd="http://www.w3.org/2001/XMLSchema"><xsd:import schemaLocation="${escaped("xsd0")}" namespace="${namespace}" /><xsd:import namespace="http://schemas.microsoft.com/2003/10/Serialization/" /></xsd:schema></wsdl:types>`;
  const own = root
    .replace(/ targetNamespace="[^"]*"/, ' targetNamespace="http://tempuri.org/"')
    .replace(/xmlns:tns="[^"]*"/, `xmlns:tns="http://tempuri.org/" xmlns:i0="${namespace}"`);
  const importOf = (part: string, of: string) =>
    `<wsdl:import namespace="${of}" location="${escaped(part)}" />`;
  const bindings = all("binding").replaceAll('type="tns:', 'type="i0:');
  return new Map([
    [
      placeOf("wsdl"),
      `${own}${importOf("wsdl0", namespace)}<wsdl:types />${bindings}${all("service")}</wsdl:definitions>`,
    ],
    [
      placeOf("wsdl0"),
      `${root}${importOf("wsdl", "http://tempuri.org/")}${types}${all("message")}${all("portType")}</wsdl:definitions>`,
    ],
    [
      placeOf("xsd0"),
      schema
        .replace("<xs:schema", `<xs:schema xmlns:tns="${namespace}"`)
        .replace(/(<xs:schema[^>]*>)/, `$1<xs:include schemaLocation="${escaped("xsd0")}" />`),
    ],
  ]);
}
