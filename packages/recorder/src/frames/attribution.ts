import type { Peer } from "@countersign/native";
import { riskFloor } from "@countersign/receipts";
import type { FrameRecord } from "@countersign/store";
import { checkEgress, checkNotEgress, isEgressType } from "./egress-frame.ts";
import type { Frame } from "./frame.ts";
import { FrameError } from "./frame-error.ts";

/** Who may speak about sandboxes: the relay of their proxies, and who watches their network from outside. */
export type EmitterRole = "relay" | "egress";
/** What a user is enrolled as, at this moment: it may change while they are connected. */
export type RolesOf = (uid: number) => readonly EmitterRole[];

/** Where a frame goes, and what is said about its worth. */
export interface Attribution {
  /** Also whose idempotency keys these are. */
  readonly emitter: string;
  readonly chain: FrameRecord["chain"];
  readonly actionType: string;
  /**
   * How much the recorder knows of what the frame says: who said it, never that it is true. A proxy's word passes through the sandbox, whose
   * root can forge it; an observer on the host is out of the sandbox's reach, and is only as good as the host and its user are.
   */
  readonly attestation: "emitter-asserted" | "sandbox-asserted" | "host-observed";
  readonly principal: string;
}

const SANDBOX_CHANNEL = "opensandbox_execd";
const SANDBOX_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** What only the hub says, of itself and of the ledger. */
const OUR_CHANNELS = new Set(["countersign"]);
const OUR_TYPES = /^(?:dev\.countersign|agent_receipts|agent\.key)\./i;

/**
 * Decides by whom the kernel says is speaking, never by what the frame claims to be. Sessions and correlators in it are kept as claims; no
 * chain follows from them.
 */
export function attribute(frame: Frame, { uid }: Peer, rolesOf: RolesOf): Attribution {
  if (OUR_CHANNELS.has(frame.channel)) {
    throw new FrameError("RESERVED_CHANNEL", `Only the hub writes to the channel ${frame.channel}`);
  }
  const actionType = actionTypeOf(frame);
  const isObserved = frame.channel === SANDBOX_CHANNEL && isEgressType(actionType);
  if (OUR_TYPES.test(actionType) && !isObserved)
    throw new FrameError("RESERVED_TYPE", `Only the recorder writes ${actionType}`);
  if (frame.channel === SANDBOX_CHANNEL) return attributeToSandbox(frame, actionType, { uid, roles: rolesOf(uid) });
  const own = `uid:${uid}` as const;
  return { emitter: own, chain: own, actionType, attestation: "emitter-asserted", principal: own };
}

/** As the peer names what the emitter didn't. */
function actionTypeOf({ action_type, channel, tool }: Frame): string {
  if (!action_type) return [channel, ...(tool.server ? [tool.server] : []), tool.name].join(".");
  if (action_type === "unknown" || action_type.includes(".")) return action_type;
  throw new FrameError("INVALID_FRAME", "action_type: is `unknown`, or has a domain and a dot");
}

interface Speaker {
  readonly uid: number;
  readonly roles: readonly EmitterRole[];
}

function attributeToSandbox(frame: Frame, actionType: string, { uid, roles }: Speaker): Attribution {
  if (roles.length === 0) {
    throw new FrameError("NOT_ENROLLED", `User ${uid} isn't enrolled to speak of sandboxes (receipts.emitters)`);
  }
  const role = isEgressType(actionType) ? "egress" : "relay";
  if (!roles.includes(role))
    throw new FrameError("ROLE_MISMATCH", `User ${uid} isn't enrolled as ${role}, which ${actionType} takes`);
  const sandbox = frame.binding?.sandbox_id;
  if (typeof sandbox !== "string" || !SANDBOX_ID.test(sandbox)) {
    throw new FrameError("INVALID_FRAME", "binding.sandbox_id: letters, digits, `.`, `_` and `-`, at most 128");
  }
  if (riskFloor(actionType) === null)
    throw new FrameError("INVALID_FRAME", `action_type: ${actionType} isn't in the taxonomy`);
  if (isEgressType(actionType)) checkEgress(frame, actionType);
  else checkNotEgress(frame);
  const attestation = role === "relay" ? "sandbox-asserted" : "host-observed";
  return {
    ...{ emitter: `${role}:${uid}`, chain: `sandbox:${sandbox}` as const },
    ...{ actionType, attestation, principal: `sandbox:${sandbox}` },
  };
}
