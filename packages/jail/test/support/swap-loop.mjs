// Swaps a directory for a link and back, as quickly as it can, until it is ended: what whoever works in a workspace can do.
import { existsSync, renameSync, symlinkSync, unlinkSync } from "node:fs";

const [directory = "", target = "", restMs = "0"] = process.argv.slice(2);
const away = `${directory}-away`;
/** Others make and open what they find there, too. */
const IN_THE_WAY = ["EEXIST", "ENOTEMPTY", "ENOENT", "EISDIR", "EPERM"];
process.stdout.write("begun\n");
for (let n = 0; ; n += 1) {
  attempt(() => renameSync(directory, away));
  attempt(() => symlinkSync(target, directory));
  rest(Number(restMs) / 4);
  attempt(() => unlinkSync(directory));
  attempt(() => renameSync(away, directory));
  rest(Number(restMs));
  if (existsSync(away)) attempt(() => renameSync(directory, `${directory}-${n}`));
}

/** @param {number} ms So long that somebody else sees it. */
function rest(ms) {
  if (ms > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** @param {() => void} work */
function attempt(work) {
  try {
    work();
  } catch (cause) {
    if (!IN_THE_WAY.includes(/** @type {NodeJS.ErrnoException} */ (cause).code ?? "")) throw cause;
  }
}
