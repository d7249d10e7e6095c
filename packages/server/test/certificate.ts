import { spawnSync } from "node:child_process";
import { join } from "node:path";

const names = "/CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1";
const words = `req -x509 -newkey rsa:2048 -nodes -days 2 -subj ${names}`.split(" ");

/** Files of a certificate, PEM. */
export interface Certificate {
  readonly keyFile: string;
  readonly certificateFile: string;
}

/** Makes a self-signed certificate of this machine in a folder; undefined without OpenSSL. */
export function makeCertificate(folder: string): Certificate | undefined {
  const keyFile = join(folder, "key.pem");
  const certificateFile = join(folder, "certificate.pem");
  const files = ["-keyout", keyFile, "-out", certificateFile];
  if (spawnSync("openssl", [...words, ...files]).status !== 0) return undefined;
  return { keyFile, certificateFile };
}
