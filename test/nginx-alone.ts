/** Kinds of temporary files, for which nginx has folders of its own elsewhere. */
const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];

/**
 * The configuration of an nginx that is one process, says on standard error when it listens, and has all of its files in
 * one folder.
 *
 * @param http what stands in its `http` block.
 */
export function nginxAlone(http: string): string {
  return `
    daemon off;
    master_process off;
    pid nginx.pid;
    error_log stderr notice;
    events {}
    http {
      access_log off;
      ${kinds.map((kind) => `${kind}_temp_path ${kind};`).join(" ")}
      ${http}
    }
  `;
}

/** What such an nginx says right after it has opened its port: the system that it runs on. */
export const nginxListens = /\[notice\].* OS: /;
