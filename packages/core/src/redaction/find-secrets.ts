import { knownSecrets } from "./known-secrets.ts";
import { scan, swallow } from "./scan.ts";

/** Where a secret stands in a text. */
export interface SecretSpan {
  readonly pos: number;
  /** Behind words such as `Bearer`, which may be words of their own in a command. */
  readonly softPos: number;
  readonly end: number;
  /** A block of many lines, as a private key is. */
  readonly block: boolean;
}

/** The secrets of a text, in order and apart from each other. */
export function findSecrets(text: string): SecretSpan[] {
  return findFrom(text, 0);
}

/** The same for what a rule keeps readable, which begins with that rule's own anchor. */
export function findInKept(text: string): SecretSpan[] {
  return findFrom(text, 1);
}

function findFrom(text: string, start: number): SecretSpan[] {
  const found: SecretSpan[] = [];
  const piece = { text, ended: true };
  for (let from = start; ; ) {
    const step = scan(piece, from, knownSecrets.anchors);
    if (step.kind === "waiting") return found;
    const { at, pos, softPos, headEnd, matcher } = step;
    // It is shorter than the text, so this ends.
    for (const inner of findInKept(text.slice(at, pos))) {
      found.push({ ...inner, pos: inner.pos + at, softPos: inner.softPos + at, end: inner.end + at });
    }
    from = matcher ? swallow(piece, headEnd, matcher).end : headEnd;
    found.push({ pos, softPos, end: from, block: matcher?.endLine !== undefined });
  }
}
