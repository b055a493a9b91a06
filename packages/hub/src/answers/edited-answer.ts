import { HubError } from "@countersign/core/errors";
import { holdsSecret, NOT_KEPT } from "@countersign/core/redaction";
import { MAX_COMMAND_BYTES } from "@countersign/protocol/proposals";
import { REDACTION_MARK, visibleLines } from "@countersign/protocol/text";
import { type GrantRecord, makeSalt } from "@countersign/store";
import { uuidv7 } from "uuidv7";
import { type Assessment, type Assessor, bindingHash } from "../proposals/index.ts";
import { encodeOneTimeGrant } from "./one-time-grant.ts";

/** How long what somebody else must propose anew is permitted; the words for agents say so. */
const PROPOSE_AGAIN_MS = 600_000;

/**
 * What a person made of the command, judged as if the agent had proposed it. What the policy denies isn't to be had this way, nor what only
 * somebody who saw its effects may allow: nobody has been shown those.
 */
export async function assessEdit(
  { proposal, classification }: Assessment,
  command: string,
  assessor: Assessor,
): Promise<Assessment> {
  refuseText(command);
  const { card: _, ...asked } = proposal;
  const edited = await assessor.assess({ ...asked, command });
  const isToolCall = [...classification.parts, ...edited.classification.parts].some(({ toolCall }) => toolCall);
  if (isToolCall) throw new HubError("INVALID_PARAMS", "command: a tool call can't be changed");
  if (edited.decision.verdict === "deny") {
    throw new HubError("UNAUTHORIZED", `command: the policy denies what you wrote: ${edited.decision.reason}`);
  }
  if (edited.classification.effects.some((effect) => effect.floor)) {
    throw new HubError("UNAUTHORIZED", "command: what you wrote is on the floor, and can't be put in another's place");
  }
  return edited;
}

function refuseText(command: string): void {
  if (command.includes(REDACTION_MARK)) {
    throw new HubError("INVALID_PARAMS", "command: something in it is hidden; reveal the card and change that");
  }
  if (Buffer.byteLength(command) > MAX_COMMAND_BYTES) {
    throw new HubError("LIMIT", `command: is longer than ${MAX_COMMAND_BYTES} bytes (limit: command)`);
  }
}

/** Whoever runs it by itself can't be given another command: it is told which to propose, and that is permitted once. */
export function permitEdit(
  edited: Assessment,
  { by, approvalId, atMs }: { readonly by: string; readonly approvalId: string; readonly atMs: number },
): GrantRecord {
  const { proposal, proposalHash, enforcement, binding } = edited;
  const { command, ownerId, sessionId, profileId } = proposal;
  if (visibleLines(command).join("\n") !== command) {
    throw new HubError("INVALID_PARAMS", "command: it has characters that can't be told to the agent as they are");
  }
  if (holdsSecret(command)) throw new HubError("INVALID_PARAMS", `command: ${NOT_KEPT}`);
  const salt = makeSalt();
  const { policyVersion } = binding;
  const bound = { ownerId, proposalHash, enforcement, binding: bindingHash(binding, salt), salt, policyVersion };
  const body = encodeOneTimeGrant({ ...bound, approvalId, command, by });
  return { id: uuidv7(), profileId, sessionId, atMs, expiresAtMs: atMs + PROPOSE_AGAIN_MS, kind: "once", body };
}
