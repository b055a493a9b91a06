import { type Clock, localAgent } from "@countersign/core/base";
import { readOrRefuse } from "@countersign/core/errors";
import * as z from "zod";
import type { Hub } from "../../hub/index.ts";
import type { HubKey } from "../../identity/index.ts";
import { answerHook } from "./answer-hook.ts";
import { HOOK_AGENTS, type HookAnswer } from "./calls/index.ts";

const HOOK_VERSION = 1;
const MAX_DEADLINE_MS = 86_400_000;

const paramsSchema = z.strictObject({
  agent: z.enum(HOOK_AGENTS),
  hookVersion: z.literal(HOOK_VERSION, "the hook is of another version; run `countersign install` again"),
  nonce: z.string().regex(/^[A-Za-z0-9_-]{22,64}$/, "must be 16 bytes or more in base64url"),
  deadlineMs: z.int().min(1).max(MAX_DEADLINE_MS),
  event: z.record(z.string(), z.unknown()),
});

/** Answers `hook` on the local socket, which agents' hook files call. `line` is everything that was sent. */
export async function answerHookLine(
  params: unknown,
  line: Uint8Array,
  on: { readonly hub: Hub; readonly hubKey: HubKey; readonly clock: Clock; readonly gone: AbortSignal },
): Promise<SignedAnswer> {
  const { agent, nonce, deadlineMs, event } = readOrRefuse(paramsSchema, params, "Not a hook's question: ");
  const question = { agent, event, identity: localAgent(agent), deadlineMs, gone: on.gone };
  return signAnswer(await answerHook(question, on.hub, on.clock), { nonce, line }, on.hubKey);
}

interface SignedAnswer {
  readonly answer: HookAnswer;
  readonly keyId: string;
  readonly signature: string;
}

/**
 * Signs the answer together with the hook's nonce and every byte that it sent, so that it can't be replayed for another
 * question. `countersign-hook.cjs` builds the same text.
 */
function signAnswer(answer: HookAnswer, asked: { nonce: string; line: Uint8Array }, key: HubKey): SignedAnswer {
  const { stdout, stderr = "", exitCode } = answer;
  const sent = Buffer.from(asked.line).toString("utf8");
  const text = JSON.stringify(["countersign hook answer", HOOK_VERSION, asked.nonce, sent, stdout, stderr, exitCode]);
  return { answer, keyId: key.publicKey, signature: key.sign(Buffer.from(text)) };
}
