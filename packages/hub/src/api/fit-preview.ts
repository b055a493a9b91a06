import type { Preview } from "@countersign/protocol/proposals";
import { fitOutcome } from "./fit-outcome.ts";

/** For the envelope around it, and for all but output and changes. */
const ROOM = 64 * 1024;

/** A preview that fits a frame: diffs go first, from the largest; then changes, from the end. */
export function fitPreview(preview: Preview, frameBytes: number): Preview {
  const fitted = { ...preview, outcome: fitOutcome(preview.outcome, frameBytes / 2) };
  let left = frameBytes - ROOM - bytesOf(fitted.outcome);
  const bare = fitted.changes.map(({ diff, ...change }) =>
    diff === undefined ? change : { ...change, undiffed: "limit" as const },
  );
  const changes: Preview["changes"] = [];
  for (const change of bare) {
    left -= bytesOf(change) + 1;
    if (left < 0) return { ...fitted, changes, truncated: true };
    changes.push(change);
  }
  return { ...fitted, changes: withDiffs(fitted.changes, changes, left) };
}

/** In order of size: one huge diff must not cost all the others theirs. */
function withDiffs(whole: Preview["changes"], bare: Preview["changes"], bytes: number): Preview["changes"] {
  let left = bytes;
  const smallest = whole.map((_, index) => index).sort((a, b) => bytesOf(whole[a]?.diff) - bytesOf(whole[b]?.diff));
  const kept = new Set(
    smallest.filter((index) => {
      left -= bytesOf(whole[index]?.diff);
      return left >= 0;
    }),
  );
  return bare.map((change, index) => (kept.has(index) ? (whole[index] ?? change) : change));
}

function bytesOf(value: unknown): number {
  return value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));
}
