// Which test files share a process. Importing the server takes most of a second of a core, and most files need no longer than that: in a
// process for each, half of the time would go into reading the same modules again.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

/** These rooms keep no state and start few processes. */
const PURE = /^packages\/(policy|protocol|receipts|sdk|web)\//;
/** These share a browser. */
const PAGE = /^test\/page\//;
/**
 * What a file does before or after all of its tests would in a shared process be done before or after everybody's; what it puts in the place of Node's own
 * comes too late there; and who it becomes, others would be.
 */
const HAS_PROCESS =
  /^(?:before|after)(?:Each)?\(|\bsyncBuiltinESMExports\(|\bcollectStatements\(|\bprocess\.sete?[ug]id\b/m;
/** Few enough that reading modules doesn't count, enough that the last to end isn't alone for long. */
const SHARED_PROCESSES = 9;

/** What to start, in this order: the longest first. */
export function planLanes(files, root) {
  const page = files.filter((file) => PAGE.test(file));
  const pure = files.filter((file) => PURE.test(file));
  const others = files.filter((file) => !PAGE.test(file) && !PURE.test(file));
  const alone = others.filter((file) => HAS_PROCESS.test(readFileSync(resolve(root, file), "utf8")));
  const shared = deal(
    others.filter((file) => !alone.includes(file)),
    SHARED_PROCESSES,
  );
  return [
    { name: "page", files: page, shared: true },
    { name: "alone", files: alone, shared: false },
    { name: "pure", files: pure, shared: true },
    ...shared.map((some, index) => ({ name: `shared-${index + 1}`, files: some, shared: true })),
  ].filter((lane) => lane.files.length > 0);
}

/** Neighbours are alike, also in how long they take: they are dealt out like cards. */
function deal(files, hands) {
  return Array.from({ length: hands }, (_, hand) => files.filter((_, index) => index % hands === hand));
}
