import { escapeHtml } from "../codec/html-text.ts";
import type { Operation, ServiceContract } from "../contract/operation.ts";

/**
 * The page that a browser sees at the address of a service: its operations with their parts.
 * HTML without scripts and without outside resources.
 */
export function renderHelpPage(contract: ServiceContract): string {
  const name = escapeHtml(contract.name);
  const operations = Object.entries(contract.operations).map(renderOperation).join("\n");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 44rem; margin: 2rem auto; padding: 0 1rem; }
dt { font-weight: 600; margin-top: 1rem; }
dd { margin: 0; }
code { font-size: 0.95em; }
</style>
</head>
<body>
<main>
<h1>${name}</h1>
<p>${escapeHtml(contract.summary)}</p>
<h2>Operations</h2>
<dl>
${operations}
</dl>
</main>
</body>
</html>
`;
}

function renderOperation([name, { summary, input }]: readonly [string, Operation]): string {
  const parts = Object.entries(input).map(([part, { type }]) => {
    const typeName = typeof type === "string" ? type : type.name;
    return `${part}: ${typeName}`;
  });
  const signature = escapeHtml(`${name}(${parts.join(", ")})`);
  return `<dt><code>${signature}</code></dt>\n<dd>${escapeHtml(summary)}</dd>`;
}
