#!/usr/bin/env node
// An older Node.js reads this file too: no syntax or function newer than ECMAScript 5.
// The first version that responds with 431 to too many header fields (decision 0001).
var oldest = [24, 18, 1];
// As in packages/cli/src/io/server-user.ts.
var installedSettings = "/etc/web-forms-helper/settings.toml";

// Keeps compiled code in a folder that only this user writes to: that of systemd, or the user's. Root
// has none by default, as with sudo HOME may be that of another user.
function keepCompiledCode() {
  var env = process.env;
  var join = require("node:path").join;
  var isRoot = process.getuid !== undefined && process.getuid() === 0;
  var caches = env.XDG_CACHE_HOME || (!isRoot && env.HOME && join(env.HOME, ".cache"));
  var folder = env.CACHE_DIRECTORY || (caches && join(caches, "web-forms-helper"));
  // A server and commands run different parts of the program.
  var part = process.argv[2] === "serve" ? "serve" : "commands";
  // Threads find it in the environment, and so does Node.js where the operator has set it.
  if (!folder || env.NODE_COMPILE_CACHE !== undefined) return;
  env.NODE_COMPILE_CACHE = join(folder, part);
  require("node:module").enableCompileCache();
}

function isTooOld(version) {
  var parts = version.split(".");
  var i;
  for (i = 0; i < oldest.length; i += 1) {
    if (Number(parts[i]) !== oldest[i]) return Number(parts[i]) < oldest[i];
  }
  return false;
}

if (isTooOld(process.versions.node)) {
  process.stderr.write(
    "Web Forms Helper needs Node.js " +
      oldest.join(".") +
      " or newer; this is " +
      process.versions.node +
      ". Get it at https://nodejs.org/en/download\n",
  );
  // As `failed` in packages/cli/src/io/exit-codes.ts, which an older version cannot read.
  process.exitCode = 69;
} else {
  // An installed server has its settings here (docs/install.md); an empty WFH_CONFIG stands for none.
  if (process.env.WFH_CONFIG === undefined && require("node:fs").existsSync(installedSettings)) {
    process.env.WFH_CONFIG = installedSettings;
  }
  // Set before the program loads, which is slow: an early reload must not end a server.
  if (process.argv[2] === "serve") process.on("SIGHUP", () => {});
  keepCompiledCode();
  require("../lib/wfh.cjs");
}
