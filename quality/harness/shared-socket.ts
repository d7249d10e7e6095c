import net from "node:net";

/** As far as it is used here; `node:cluster` has it for the same purpose. */
interface SocketHandle {
  readonly fd: number;
  getsockname(address: { port?: number }): void;
  close(): void;
}

/**
 * A socket that this process keeps for servers and accepts nothing from, as systemd does.
 *
 * @param path of a UNIX socket; without it, a free port.
 */
export function openSharedSocket(path?: string) {
  const { _createServerHandle: create } = net as unknown as {
    _createServerHandle(host: string, port: number, family: 4 | -1): SocketHandle;
  };
  const handle = path === undefined ? create("127.0.0.1", 0, 4) : create(path, -1, -1);
  const address: { port?: number } = {};
  if (path === undefined) handle.getsockname(address);
  const { port = 0 } = address;
  return { fd: handle.fd, port, url: `http://127.0.0.1:${port}`, close: () => handle.close() };
}
