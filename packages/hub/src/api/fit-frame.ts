import type { Outcome, Preview } from "@countersign/protocol/proposals";

/** Cuts a preview to fit a frame: first diffs, the largest first, then changes from the end. */
export function fitPreview(preview: Preview, frameBytes: number): Preview {
  const fitted = { ...preview, outcome: fitOutcome(preview.outcome, frameBytes / 2) };
  let left = frameBytes - ENVELOPE_BYTES - bytesOf(fitted.outcome);
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

/** Keeps the smallest diffs first, so that one huge diff doesn't displace all others. */
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

/** Bytes for the envelope, and for all fields but output and changes. */
const ENVELOPE_BYTES = 64 * 1024;

/**
 * Cuts an outcome to fit a frame: output that is too long once escaped loses its middle, and is marked as truncated.
 */
export function fitOutcome(outcome: Outcome, frameBytes: number): Outcome {
  const budget = frameBytes - ENVELOPE_BYTES;
  const size = bytesOf(outcome.stdout) + bytesOf(outcome.stderr);
  if (size <= budget) return outcome;
  const share = (text: string | undefined) => Math.floor((budget * bytesOf(text)) / size);
  return {
    ...outcome,
    ...(outcome.stdout === undefined ? {} : { stdout: shorten(outcome.stdout, share(outcome.stdout)) }),
    ...(outcome.stderr === undefined ? {} : { stderr: shorten(outcome.stderr, share(outcome.stderr)) }),
    truncated: true,
  };
}

/** Returns head and tail in at most `maxBytes` escaped bytes, without splitting characters. */
function shorten(text: string, maxBytes: number): string {
  if (bytesOf(text) <= maxBytes) return text;
  let keep = text.length;
  let short = text;
  while (keep > 0 && bytesOf(short) > maxBytes) {
    keep = Math.floor(keep * 0.8);
    const half = Math.floor(keep / 2);
    const [head, tail] = [text.slice(0, half).toWellFormed(), text.slice(text.length - half).toWellFormed()];
    short = `${head}\n[… ${text.length - 2 * half} characters left out …]\n${tail}`;
  }
  return short;
}
