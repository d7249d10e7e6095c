import { createServer, type ServerResponse } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

/**
 * The practical limit of a Node.js process: `node reference-server.ts CONTENT_TYPE LENGTH [FILE]`
 * sends LENGTH bytes after each request, and prints its address. FILE shows the cost of durability:
 * each body is stored before the response, with one sync for all that came during the last one.
 */
if (isMainThread) serve(process.argv.slice(2));
else write(workerData as string);

function serve([contentType = "", length = "0", file]: readonly string[]): void {
  const body = Buffer.alloc(Number(length), "x");
  const headers = ["Content-Type", contentType, "Content-Length", length];
  const respond = (response: ServerResponse) => {
    response.writeHead(200, headers);
    response.end(body);
  };
  const store = file === undefined ? undefined : storeOn(file, respond);
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      if (store === undefined) respond(response);
      else store(Buffer.concat(pieces).toString(), response);
    });
  });
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (typeof address === "object" && address !== null)
      console.log(`http://127.0.0.1:${address.port}`);
  });
}

/** Returns what stores the body of a request before its response is sent. */
function storeOn(file: string, respond: (response: ServerResponse) => void) {
  const worker = new Worker(new URL(import.meta.url), { workerData: file });
  let waiting: { readonly text: string; readonly response: ServerResponse }[] = [];
  let writing: typeof waiting = [];
  const commit = () => {
    if (writing.length > 0 || waiting.length === 0) return;
    writing = waiting;
    waiting = [];
    worker.postMessage(writing.map(({ text }) => text));
  };
  worker.on("message", () => {
    for (const { response } of writing) respond(response);
    writing = [];
    commit();
  });
  return (text: string, response: ServerResponse) => {
    // All of one turn of the event loop share a sync.
    if (waiting.push({ text, response }) === 1) setImmediate(commit);
  };
}

function write(file: string): void {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE rows (body TEXT)");
  const [begin, insert, commit] = ["BEGIN", "INSERT INTO rows VALUES (?)", "COMMIT"].map((sql) =>
    database.prepare(sql),
  );
  parentPort?.on("message", (texts: readonly string[]) => {
    begin?.run();
    for (const text of texts) insert?.run(text);
    commit?.run();
    parentPort?.postMessage("");
  });
}
