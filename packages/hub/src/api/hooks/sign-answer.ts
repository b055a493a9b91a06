import type { HubKey } from "../../identity/index.ts";
import type { HookAnswer } from "./calls/index.ts";

export const HOOK_VERSION = 1;

export interface SignedAnswer {
  readonly answer: HookAnswer;
  readonly keyId: string;
  readonly signature: string;
}

/**
 * Bound to the hook's nonce and to every byte that it sent: an answer to another question, or from another time, is none.
 * `countersign-hook.cjs` builds the same text.
 */
export function signAnswer(answer: HookAnswer, asked: { nonce: string; line: Uint8Array }, key: HubKey): SignedAnswer {
  const { stdout, stderr = "", exitCode } = answer;
  const sent = Buffer.from(asked.line).toString("utf8");
  const text = JSON.stringify(["countersign hook answer", HOOK_VERSION, asked.nonce, sent, stdout, stderr, exitCode]);
  return { answer, keyId: key.publicKey, signature: key.sign(Buffer.from(text)) };
}
