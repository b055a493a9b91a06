import type { WantedHead } from "@countersign/receipts";
import { CliError, EXIT } from "../../base/index.ts";

const HEAD = /^(?:([1-9]\d{0,14}):)?((?:sha256:)?[0-9a-f]{64})$/;

/** `<seq>:<hash>` as `verify` and `list` print it, or the hash alone. */
export function readExpectedHead(text: string): WantedHead {
  const [, seq, hash] = HEAD.exec(text) ?? [];
  if (hash === undefined) {
    const message = `--expect-head ${JSON.stringify(text.slice(0, 100))} isn't <seq>:sha256:<hash>, or the hash alone.`;
    throw new CliError("FAILED", message, { exitCode: EXIT.usage });
  }
  return {
    hash: hash.startsWith("sha256:") ? hash : `sha256:${hash}`,
    ...(seq === undefined ? {} : { seq: Number(seq) }),
  };
}
