// Loaded where test files share a process: each has to leave it as it found it, or another would pass or fail for that.
import { beforeEach } from "node:test";

const found = state();
let file;

beforeEach(({ filePath }) => {
  if (filePath === file) return;
  const left = state();
  const changed = Object.keys({ ...found, ...left }).filter((name) => found[name] !== left[name]);
  const before = file;
  file = filePath;
  if (changed.length === 0) return;
  Object.assign(found, left);
  throw new Error(`${before ?? "A file that was loaded"} left ${changed.join(", ")} changed for those after it.`);
});

function state() {
  const { fetch, setTimeout, setInterval } = globalThis;
  const env = Object.entries(process.env).map(([name, value]) => [`the variable ${name}`, value]);
  return {
    ...Object.fromEntries(env),
    "the working directory": process.cwd(),
    "the umask": process.umask(),
    "the user": process.geteuid(),
    "the group": process.getegid(),
    "the Date": globalThis.Date,
    "Date.now": Date.now,
    fetch,
    setTimeout,
    setInterval,
    "process.stdout.write": process.stdout.write,
    "process.exitCode": process.exitCode,
  };
}
