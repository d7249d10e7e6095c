import { generate } from "orval";

// Writes a client: node orval.js <document> <file>.
const [input, target] = process.argv.slice(2);
const baseUrl = { getBaseUrlFromSpecification: true };
await generate({ input, output: { target, client: "fetch", mode: "single", baseUrl } });
