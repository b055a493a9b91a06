import { localAgent } from "@countersign/core/base";
import { readOrRefuse } from "@countersign/core/errors";
import * as z from "zod";
import type { HubKey } from "../../identity/index.ts";
import { answerHook, type HookRooms } from "./answer-hook.ts";
import { HOOK_AGENTS } from "./calls/index.ts";
import { HOOK_VERSION, type SignedAnswer, signAnswer } from "./sign-answer.ts";

export interface HookLineRooms extends HookRooms {
  readonly hubKey: HubKey;
}

const MAX_DEADLINE_MS = 86_400_000;

const paramsSchema = z.strictObject({
  agent: z.enum(HOOK_AGENTS),
  hookVersion: z.literal(HOOK_VERSION, "the hook is of another version; run `countersign install` again"),
  nonce: z.string().regex(/^[A-Za-z0-9_-]{22,64}$/, "must be 16 bytes or more in base64url"),
  deadlineMs: z.int().min(1).max(MAX_DEADLINE_MS),
  event: z.record(z.string(), z.unknown()),
});

/** `hook` on the local socket: the file that agents call. `line` is all that it sent. */
export async function answerHookLine(
  params: unknown,
  line: Uint8Array,
  { hubKey, ...rooms }: HookLineRooms & { readonly gone: AbortSignal },
): Promise<SignedAnswer> {
  const { agent, nonce, deadlineMs, event } = readOrRefuse(paramsSchema, params, "Not a hook's question: ");
  const question = { agent, event, identity: localAgent(agent), deadlineMs, gone: rooms.gone };
  return signAnswer(await answerHook(question, rooms), { nonce, line }, hubKey);
}
