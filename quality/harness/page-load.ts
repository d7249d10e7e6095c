import http from "node:http";

/** Calls at the same time. */
const callers = 6;

/** Logs pages without a pause until it is stopped; resolves to how often each status came. */
export function startPageLoad(port: number, { keepAlive = false } = {}) {
  // One connection a call by default: when nginx reloads, it closes those to clients that are idle.
  const agent = new http.Agent({ keepAlive });
  const statuses: Record<string, number> = {};
  let isStopped = false;
  let awaited = Promise.withResolvers<void>();
  const caller = async () => {
    while (!isStopped) {
      const status = await logPage(agent, port);
      statuses[status] = (statuses[status] ?? 0) + 1;
      awaited.resolve();
    }
  };
  const running = Promise.all(Array.from({ length: callers }, caller));
  return {
    /** Resolves after so many more calls. */
    calls: async (count: number) => {
      const callsOf = () => Object.values(statuses).reduce((sum, one) => sum + one, 0);
      for (const until = callsOf() + count; callsOf() < until; ) {
        awaited = Promise.withResolvers();
        await awaited.promise;
      }
    },
    stop: async () => {
      isStopped = true;
      await running;
      return statuses;
    },
  };
}

function logPage(agent: http.Agent, port: number): Promise<string> {
  const body = JSON.stringify({ form_id: 1, url: "https://forms.example.org/step-1" });
  const headers = { "Content-Type": "application/json", "Content-Length": body.length };
  const path = "/api/WebFormsAjaxEndpoint.svc/LogPageRequestAsync";
  const { promise, resolve } = Promise.withResolvers<string>();
  const request = http.request(
    { agent, host: "127.0.0.1", port, method: "POST", path, headers },
    (response) => {
      response.resume();
      response.on("end", () => resolve(String(response.statusCode)));
    },
  );
  request.on("error", ({ message }) => resolve(message));
  request.end(body);
  return promise;
}
