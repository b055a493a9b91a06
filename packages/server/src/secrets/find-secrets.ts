import { knownSecrets } from "./known-secrets.ts";
import { scan, swallow } from "./scan.ts";

/** Where a secret stands in a text. */
export interface SecretSpan {
  readonly pos: number;
  readonly end: number;
  /** A block of many lines, as a private key is. */
  readonly block: boolean;
}

/** The secrets of a text, without words such as `Bearer` before them, in order and apart from each other. */
export function findSecrets(text: string): SecretSpan[] {
  const found: SecretSpan[] = [];
  const piece = { text, ended: true };
  for (let from = 0; ; ) {
    const step = scan(piece, from, knownSecrets.anchors);
    if (step.kind === "waiting") return found;
    const { at, pos, softPos, headEnd, matcher } = step;
    // What a rule keeps may hold another secret. It is shorter than the text, so this ends.
    for (const inner of findSecrets(text.slice(at, pos))) {
      found.push({ ...inner, pos: inner.pos + at, end: inner.end + at });
    }
    from = matcher ? swallow(piece, headEnd, matcher).end : headEnd;
    found.push({ pos: softPos, end: from, block: matcher?.endLine !== undefined });
  }
}
