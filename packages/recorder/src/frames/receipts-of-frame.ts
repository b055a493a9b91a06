import { randomUUID } from "node:crypto";
import { filterSecrets } from "@countersign/core/redaction";
import type { Peer } from "@countersign/native";
import { hashObject, type Json, type RiskLevel, riskFloor } from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import { type EmittedDraft, withoutNulls } from "@countersign/store";
import type { Attribution } from "./attribution.ts";
import type { Frame } from "./frame.ts";

const crypto = nodeCrypto();

/** What is read of an error, and what of that is kept. */
const ERROR_READ = 64 * 1024;
const ERROR_KEPT = 4 * 1024;

/** A type that no table knows may be anything. */
const UNKNOWN_RISK: RiskLevel = "medium";

export interface Emission {
  readonly frame: Frame;
  readonly peer: Peer;
  readonly attribution: Attribution;
  readonly atMs: number;
  /** Frames that never came: those that the emitter counted, and those that were lost here. */
  readonly dropped: number;
}

/** What is said in another way each time, even where an emitter says the same again. */
export interface Own {
  readonly id: string;
  readonly actionId: string;
  readonly at: string;
  readonly emittedAt: string;
  readonly parametersHash?: string;
  readonly responseHash?: string;
  readonly idempotencyKey?: string;
  readonly correlationId?: string;
  /** Of a call into a sandbox. */
  readonly startedAt?: string;
}

export function ownOf({ frame, attribution, atMs }: Pick<Emission, "frame" | "attribution" | "atMs">): Own {
  const { input, output, idempotency_key, correlation_id, binding } = frame;
  const startedAt = isOfSandbox(attribution) ? binding?.started_at : undefined;
  return {
    ...named(atMs),
    emittedAt: frame.ts_emit,
    ...(isPresent(input) ? { parametersHash: hashObject(input, crypto) } : {}),
    ...(isPresent(output) ? { responseHash: hashObject(output, crypto) } : {}),
    ...(idempotency_key ? { idempotencyKey: idempotency_key } : {}),
    ...(correlation_id ? { correlationId: correlation_id } : {}),
    ...(typeof startedAt === "string" ? { startedAt } : {}),
  };
}

function named(atMs: number): Pick<Own, "id" | "actionId" | "at"> {
  // Only the receipt is looked for by its id, and so by the time in it.
  return { id: `urn:receipt:${uuidAt(atMs)}`, actionId: `act_${randomUUID()}`, at: new Date(atMs).toISOString() };
}

/** Of version 7 (RFC 9562 5.7): the time in 48 bits, and the random ones of a version 4, which Node has ready by the hundred. */
function uuidAt(atMs: number): string {
  const time = atMs.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice("xxxxxxxx-xxxx-x".length)}`;
}

/** What a frame says. */
export function liveReceipt(emission: Emission, own: Own): EmittedDraft {
  const { frame, attribution } = emission;
  const { tool, operator_id, operator_name } = frame;
  const { parametersHash, responseHash, idempotencyKey, correlationId } = own;
  const common = commonOf(emission, attribution.actionType, own);
  const subject = common.credentialSubject;
  return {
    ...common,
    issuer: {
      ...common.issuer,
      ...present({ name: frame.issuer_name, model: frame.issuer_model }),
      // A name is required, and an empty one is lost on readers that leave empty members out: the signature with it.
      ...(operator_id ? { operator: { id: operator_id, name: operator_name || operator_id } } : {}),
      runtime: { ...common.issuer.runtime, ...runtimeOf(emission, own), emittedAt: own.emittedAt },
    },
    credentialSubject: {
      ...subject,
      action: {
        ...subject.action,
        target: tool.server ? { system: tool.server, resource: tool.name } : { system: tool.name },
        ...present({ parameters_hash: parametersHash, idempotency_key: idempotencyKey }),
      },
      outcome: {
        ...outcomeOf(frame),
        ...present({ response_hash: responseHash }),
      },
      ...present({ correlation_id: correlationId }),
    },
  };
}

/** How many frames never came: of a sandbox, also from which side of it. */
export function dropReceipt(emission: Emission): EmittedDraft {
  const { frame, attribution, dropped } = emission;
  const common = commonOf(emission, "agent_receipts.events_dropped", named(emission.atMs));
  const { action } = common.credentialSubject;
  const counted = { ...action, emitter_metadata: { drop_count: dropped } };
  const placement = attribution.attestation === "host-observed" ? "ingress_egress" : "execd";
  const binding = { sandbox_id: String(frame.binding?.sandbox_id), placement };
  const about = isOfSandbox(attribution) ? { binding, emittedAt: frame.ts_emit } : {};
  return {
    ...common,
    issuer: { ...common.issuer, runtime: { ...common.issuer.runtime, ...about } },
    credentialSubject: { ...common.credentialSubject, action: counted },
  };
}

function isOfSandbox({ chain }: Attribution): boolean {
  return chain.startsWith("sandbox:");
}

/** What the recorder knows by itself. The time is its own: an emitter's clock proves nothing. */
function commonOf(
  { frame, peer, attribution }: Emission,
  type: string,
  { id, actionId, at }: Pick<Own, "id" | "actionId" | "at">,
) {
  const { pid, uid, gid, exePath } = peer;
  return {
    id,
    issuanceDate: at,
    issuer: { session_id: frame.session_id, runtime: { channel: frame.channel, attestation: attribution.attestation } },
    credentialSubject: {
      principal: { id: attribution.principal },
      action: {
        id: actionId,
        type,
        risk_level: riskFloor(type) ?? UNKNOWN_RISK,
        timestamp: at,
        peer_credential: { platform: "linux", pid, uid, gid, ...(exePath === undefined ? {} : { exe_path: exePath }) },
      },
      outcome: { status: "success" as const },
    },
  };
}

/** Bound to a sandbox only where the emitter may speak of it: others could put their words into its mouth. */
function runtimeOf({ frame, attribution }: Emission, { startedAt }: Own): { readonly [key: string]: unknown } {
  const { coverage, enforcement, decision, agent_id, agent_type } = frame;
  const binding = startedAt === undefined ? frame.binding : { ...frame.binding, started_at: startedAt };
  const about = isOfSandbox(attribution)
    ? withoutNulls({
        ...{ ...(binding && { binding }), ...(coverage && { coverage }), ...(enforcement && { enforcement }) },
        // Else it would look like something that was done and failed.
        ...(decision === "denied" && { decision }),
      })
    : {};
  return { ...(about as object), ...present({ agent_id, agent_type }) };
}

export function outcomeOf(frame: Frame): EmittedDraft["credentialSubject"]["outcome"] {
  const error = frame.error ? filterSecrets(frame.error.slice(0, ERROR_READ)).slice(0, ERROR_KEPT).toWellFormed() : "";
  const told = error === "" ? {} : { error };
  if (frame.decision === "pending") return { status: "pending", ...told };
  const failed = frame.decision === "denied" || error !== "" || isMcpError(frame);
  return { status: failed ? "failure" : "success", ...told };
}

/** An MCP server answers a failed call with a result that says so. */
function isMcpError({ channel, output }: Frame): boolean {
  return channel === "mcp" && (output as { readonly isError?: unknown } | null | undefined)?.isError === true;
}

function isPresent(value: unknown): value is Json {
  return value !== undefined && value !== null;
}

function present<T extends { readonly [key: string]: string | null | undefined }>(
  texts: T,
): { [K in keyof T]?: string } {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text)) as { [K in keyof T]?: string };
}
