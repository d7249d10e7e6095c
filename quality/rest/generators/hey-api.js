import { createRequire, registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

// Writes a client: node hey-api.js <document> <folder>. The generator needs the API of a TypeScript
// before 7, which orval brings along for itself.
const { resolve } = createRequire(createRequire(import.meta.url).resolve("orval"));
const typescript = pathToFileURL(resolve("typescript")).href;
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === "typescript" ? typescript : specifier, context),
});
const { createClient } = await import("@hey-api/openapi-ts");
const [input, path] = process.argv.slice(2);
await createClient({
  input,
  output: { path, tsConfigPath: null, module: { extension: ".js" } },
  plugins: ["@hey-api/client-fetch"],
  logs: { level: "warn", file: false },
});
