import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { readText, root } from "@wfh/server/test/source-files.ts";
import { findPrograms } from "../harness/debian-postgres.ts";
import { temporaryPaths } from "../harness/nginx.ts";
import type { Engine } from "./engine.ts";

// Registries of images cannot be reached from everywhere. These images replace the public ones:
// they have the same paths, users and variables, and programs of this machine.

/** Names of the stand-ins for the two public images of the Containerfile. */
const standIns = { build: "localhost/build", base: "localhost/base" };

/** The Debian packages that the public base image consists of. */
const basePackages = "base-files netbase tzdata ca-certificates libssl3 libc6 libgcc-s1 libstdc++6";
/** Programs that npm and the commands of the Containerfile need. */
const buildPrograms = ["sh", "bash", "cp", "env", "gzip", "ln", "mkdir", "sed", "tar"];

/** Makes the base images of the Containerfile; returns the options of `podman build` for them. */
export function makeBuildImages(engine: Engine): readonly string[] {
  const base = join(engine.folder, "base");
  makeRoot(base, "nonroot:x:65532:65532::/:/sbin/nologin");
  copyPackages(basePackages, base);
  importImage(engine, base, standIns.base);
  const build = join(engine.folder, "build");
  makeRoot(build, "node:x:1000:1000::/:/bin/sh");
  const node = realpathSync(process.execPath);
  copyPrograms([...buildPrograms, node], build);
  const licence = "/usr/share/doc/libatomic1/copyright";
  cpSync(licence, build + licence);
  mkdirSync(join(build, "usr/local/bin"), { recursive: true });
  renameSync(build + node, join(build, "usr/local/bin/node"));
  const npm = realpathSync(read("sh", ["-c", "command -v npm"]));
  cpSync(join(dirname(npm), ".."), join(build, "usr/local/lib/node_modules/npm"), {
    recursive: true,
  });
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(build, "usr/local/bin/npm"));
  copyNpmSettings(build);
  importImage(engine, build, standIns.build, ["ENV PATH=/usr/local/bin:/usr/bin:/bin"]);
  return [
    "--build-arg",
    `BUILD=${standIns.build}`,
    "--build-arg",
    `BASE=${standIns.base}`,
    "--volume",
    `${read("npm", ["config", "get", "cache"])}:/var/cache/npm`,
  ];
}

/** npm fetches from where it does on this machine, and keeps what it fetched. */
function copyNpmSettings(folder: string): void {
  const authorities = process.env["NODE_EXTRA_CA_CERTS"] ?? "/etc/ssl/certs/ca-certificates.crt";
  cpSync(authorities, join(folder, "etc/authorities.pem"), { dereference: true });
  mkdirSync(join(folder, "usr/local/etc"));
  writeFileSync(
    join(folder, "usr/local/etc/npmrc"),
    `registry=${read("npm", ["config", "get", "registry"])}
     cafile=/etc/authorities.pem
     cache=/var/cache/npm
     prefer-offline=true`.replaceAll(/^ +/gm, ""),
  );
}

/** Makes the two other images of examples/compose.yaml, under their names. */
export function makeComposeImages(engine: Engine): void {
  const [, postgres = "", nginx = ""] =
    /(docker\.io\S*postgres\S*)[\s\S]*(docker\.io\S*nginx\S*)/.exec(
      readText("examples/compose.yaml"),
    ) ?? [];
  makePostgres(engine, postgres);
  makeNginx(engine, nginx);
}

/** Entry point of the public image before its first start, as documented. */
const postgresEntrypoint = `#!/bin/bash
set -e
export POSTGRES_PASSWORD=$(cat "$POSTGRES_PASSWORD_FILE")
if [ ! -e "$PGDATA/PG_VERSION" ]; then
  initdb --username=postgres --pwfile=<(echo "$POSTGRES_PASSWORD")
  echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
  pg_ctl --wait --options="-c listen_addresses=''" start
  for file in /docker-entrypoint-initdb.d/*.sql; do
    psql --set=ON_ERROR_STOP=1 --no-password --username=postgres --file="$file"
  done
  pg_ctl --wait --mode=fast stop
fi
exec "$@"
`;

function makePostgres(engine: Engine, name: string): void {
  const folder = join(engine.folder, "postgres");
  makeRoot(folder, "postgres:x:999:999::/var/lib/postgresql:/bin/bash");
  const programs = findPrograms() ?? "";
  const own = ["initdb", "pg_ctl", "pg_dump", "pg_isready", "postgres", "psql"];
  const shell = ["bash", "cat", "sh"];
  copyPrograms([...own.map((program) => join(programs, program)), ...shell], folder);
  const [version = ""] = /\d+/.exec(programs) ?? [];
  const data = [
    `/usr/share/postgresql/${version}`,
    "/usr/share/zoneinfo",
    "/usr/lib/locale/C.utf8",
  ];
  for (const path of [...data, `/usr/lib/postgresql/${version}/lib`]) {
    // The compiler of queries, which is not used, is most of it.
    const filter = (file: string) => !/bitcode|llvmjit/.test(file);
    cpSync(path, folder + path, { recursive: true, filter });
  }
  writeFileSync(join(folder, "entrypoint"), postgresEntrypoint, { mode: 0o755 });
  mkdirSync(join(folder, "var/lib/postgresql"), { recursive: true });
  chmodSync(join(folder, "var/lib/postgresql"), 0o1777);
  importImage(engine, folder, name, [
    `ENV PATH=${programs}:/usr/bin:/bin`,
    "ENV LANG=C.UTF-8",
    "ENV PGDATA=/var/lib/postgresql/data",
    `ENTRYPOINT ["/entrypoint"]`,
    `CMD ["postgres", "-c", "listen_addresses=*"]`,
    "STOPSIGNAL SIGINT",
    "VOLUME /var/lib/postgresql",
  ]);
}

const nginxConfiguration = `
pid /run/nginx.pid;
error_log /dev/stderr notice;
events {}
http {
  access_log /dev/stdout;
  ${temporaryPaths("/var/cache/nginx/")}
  include /etc/nginx/conf.d/*.conf;
}
`;

function makeNginx(engine: Engine, name: string): void {
  const folder = join(engine.folder, "nginx");
  makeRoot(folder, "nginx:x:101:101::/:/bin/false");
  copyPrograms(["nginx"], folder);
  for (const path of ["etc/nginx/conf.d", "var/cache/nginx", "var/log/nginx", "var/lib/nginx"]) {
    mkdirSync(join(folder, path), { recursive: true });
  }
  writeFileSync(join(folder, "etc/nginx/nginx.conf"), nginxConfiguration);
  importImage(engine, folder, name, [
    `ENTRYPOINT ["/usr/sbin/nginx", "-e", "/dev/stderr"]`,
    `CMD ["-g", "daemon off;"]`,
    "STOPSIGNAL SIGQUIT",
  ]);
}

/** Makes an image of a folder, with changes in the words of a Containerfile. */
function importImage(
  engine: Engine,
  folder: string,
  name: string,
  changes: readonly string[] = [],
) {
  const options = changes.map((change) => `--change '${change}'`).join(" ");
  engine.read("sh", "-c", `tar -C ${folder} -c . | podman import ${options} - ${name}`);
}

/** An empty root with the folders of Debian and one user beside root. */
function makeRoot(folder: string, user: string): void {
  const folders = "usr/bin usr/sbin usr/lib usr/lib64 etc var run tmp";
  execFileSync("sh", [
    "-ec",
    `mkdir -p ${folder} && cd ${folder} && mkdir -p ${folders}
     for name in bin sbin lib lib64; do ln -s usr/$name $name; done
     ln -s ../run var/run`,
  ]);
  const [name = "", , id = ""] = user.split(":");
  writeFileSync(join(folder, "etc/passwd"), `root:x:0:0::/root:/bin/sh\n${user}\n`);
  writeFileSync(join(folder, "etc/group"), `root:x:0:\n${name}:x:${id}:\n`);
}

/** Copies the files of installed Debian packages, without documents. */
function copyPackages(packages: string, folder: string): void {
  const unneeded = "^/usr/share/(doc|info|lintian|locale|man)/";
  execFileSync("bash", [
    "-ec",
    `dpkg --listfiles ${packages} | grep '^/' | grep -Ev '${unneeded}' | sort -u |
       while read -r file; do
         [ -d "$file" ] && [ ! -L "$file" ] || echo "$file"
       done | sed 's|^/||' |
       tar --create --no-recursion --directory=/ --files-from=- |
       tar --extract --directory=${folder} --keep-directory-symlink`,
  ]);
}

/** Copies programs and the libraries that they load. */
function copyPrograms(programs: readonly string[], folder: string): void {
  execFileSync("bash", [
    "-ec",
    `for name in ${programs.join(" ")}; do
       program=$(command -v $name)
       { echo $program; ldd $program | grep -o '/[^ ]*'; } |
         xargs cp --parents --dereference --update --target-directory=${folder}
     done`,
  ]);
}

function read(command: string, words: readonly string[]): string {
  return execFileSync(command, words, { cwd: root, encoding: "utf8" }).trim();
}
