import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

/** Prints which modules of koffi are loaded after the import, and after the first call. */
const SCRIPT = `
const { createRequire } = await import("node:module");
const loaded = () => Object.keys(createRequire(import.meta.url).cache).filter((path) => path.includes("koffi")).length > 0;
const native = await import(${JSON.stringify(import.meta.resolve("./index.ts"))});
const before = loaded();
native.endOfPid(process.pid);
console.log(JSON.stringify([before, loaded()]));
`;

test("importing native loads no foreign-function interface, the first call does", {
  skip: process.platform !== "linux" && "system calls are made on Linux only",
}, () => {
  const said = execFileSync(process.execPath, ["--input-type=module", "-e", SCRIPT], { encoding: "utf8" });
  assert.deepEqual(JSON.parse(said), [false, true]);
});
