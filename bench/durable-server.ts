import { createServer, type ServerResponse } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

/**
 * What durability itself costs: the plainest node:http server that has the body of a request on disk before it responds
 * `node durable-server.ts FILE CONTENT_TYPE LENGTH`. It reads nothing in it and has one column; a thread syncs once for all bodies
 * that arrived during the last sync. Prints its address.
 */
if (isMainThread) serve(process.argv.slice(2));
else write(workerData as string);

function serve([file, contentType = "", length = "0"]: readonly string[]): void {
  const worker = new Worker(new URL(import.meta.url), { workerData: file });
  const body = Buffer.alloc(Number(length), "x");
  const headers = ["Content-Type", contentType, "Content-Length", length];
  let texts: string[] = [];
  let waiting: ServerResponse[] = [];
  let writing: readonly ServerResponse[] = [];
  const commit = () => {
    worker.postMessage(texts);
    writing = waiting;
    waiting = [];
    texts = [];
  };
  worker.on("message", () => {
    for (const response of writing) {
      response.writeHead(200, headers);
      response.end(body);
    }
    writing = [];
    if (waiting.length > 0) commit();
  });
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    request.on("end", () => {
      texts.push(text);
      waiting.push(response);
      // All of one turn of the event loop share a sync.
      if (writing.length === 0 && waiting.length === 1) {
        setImmediate(() => {
          if (writing.length === 0 && waiting.length > 0) commit();
        });
      }
    });
  });
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (typeof address === "object" && address !== null)
      console.log(`http://127.0.0.1:${address.port}`);
  });
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
