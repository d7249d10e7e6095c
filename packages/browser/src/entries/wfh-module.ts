import { configure } from "../wfh.ts";

export * from "../wfh.ts";

// The server is where this file comes from.
configure({ baseUrl: import.meta.url.replace(/\/[^/]*$/, "") });
