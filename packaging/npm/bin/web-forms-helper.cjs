#!/usr/bin/env node
// `npx web-forms-helper` starts the server; with arguments, and as `wfh`, it is the command line.
if (process.argv.length === 2) process.argv.push("serve");
require("./wfh.cjs");
