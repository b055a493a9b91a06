import type { Outcome } from "@countersign/protocol/proposals";

/** For the envelope around it, and for the fields that aren't output. */
const ROOM = 64 * 1024;

/** An outcome that fits a frame: output that is longer once escaped loses its middle, and says so. */
export function fitOutcome(outcome: Outcome, frameBytes: number): Outcome {
  const budget = frameBytes - ROOM;
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

/** Head and tail, whole characters only, in at most so many escaped bytes. */
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

function bytesOf(text: string | undefined): number {
  return text === undefined ? 0 : Buffer.byteLength(JSON.stringify(text));
}
