import type { ObserverGap } from "@countersign/vocabulary";
import { protocolName } from "./text/index.ts";

interface Place {
  readonly sandbox_id: string;
  readonly endpoint: "/network";
  readonly route: "egress";
  readonly placement: "ingress_egress";
}

interface FlowSaid {
  readonly dst_addr: string;
  /** 0 where the protocol has none. */
  readonly dst_port: number;
  readonly protocol: string;
  /** Everything since it began, in an interim frame too. */
  readonly bytes_out: number;
  readonly verdict: "allowed" | "blocked";
  readonly started_at: string;
  readonly ended_at?: string;
  readonly part: "interim" | "final";
  readonly name?: string;
  readonly service?: "relay";
}

interface GapSaid {
  readonly from: string;
  readonly to: string;
  readonly reason: ObserverGap;
  readonly rules?: "stayed" | "gone";
}

/** As the recorder takes it from who is enrolled as `egress`. */
export interface EgressFrame {
  readonly v: "1";
  readonly ts_emit: string;
  readonly session_id: string;
  readonly channel: "opensandbox_execd";
  readonly tool: { readonly name: "network.egress"; readonly server: "conntrack" | "nftables" };
  readonly action_type: "network.egress.observed" | "dev.countersign.egress.gap";
  readonly decision: "allowed" | "denied";
  readonly input: object;
  readonly output?: object;
  readonly correlation_id?: string;
  readonly idempotency_key: string;
  readonly ack: true;
  readonly binding: Place & ({ readonly flow: FlowSaid } | { readonly gap: GapSaid });
  readonly coverage: {
    readonly covers: readonly ["network_egress"];
    readonly excludes: readonly ["command", "code", "files", "directories", "pty"];
    readonly placement: "ingress_egress";
    readonly limits: readonly string[];
  };
  readonly enforcement: "enforced" | "none";
}

/** Of whom it is told, and how well it is seen. */
export interface Voice {
  readonly sandboxId: string;
  readonly limits: readonly string[];
  readonly enforcement: EgressFrame["enforcement"];
}

export interface FlowTold {
  /** One for each flow. */
  readonly correlationId: string;
  readonly dst: string;
  readonly dstPort: number;
  readonly protocol: number;
  readonly bytesOut: number;
  readonly verdict: FlowSaid["verdict"];
  readonly startedAtMs: number;
  /** Undefined: it goes on. */
  readonly endedAtMs: number | undefined;
  readonly name?: string | undefined;
  readonly isRelay?: boolean;
}

export function flowFrame(voice: Voice, told: FlowTold): EgressFrame {
  const { correlationId, endedAtMs, startedAtMs, verdict, name, isRelay } = told;
  const part = endedAtMs === undefined ? "interim" : "final";
  const input = { dst_addr: told.dst, dst_port: told.dstPort, protocol: protocolName(told.protocol) };
  const output = { bytes_out: told.bytesOut, verdict };
  return {
    ...said(voice, verdict === "blocked" ? "nftables" : "conntrack"),
    ...{
      action_type: "network.egress.observed",
      decision: verdict === "blocked" ? "denied" : "allowed",
      input,
      output,
    },
    correlation_id: correlationId,
    idempotency_key: part === "final" ? `${correlationId}-final` : `${correlationId}-${Date.now()}`,
    binding: {
      ...placeOf(voice),
      flow: {
        ...{ ...input, ...output, started_at: timeText(startedAtMs) },
        // Clocks are set back now and then.
        ...(endedAtMs === undefined ? {} : { ended_at: timeText(Math.max(startedAtMs, endedAtMs)) }),
        ...{ part, ...(name === undefined ? {} : { name }), ...(isRelay ? { service: "relay" } : {}) },
      },
    },
  };
}

export interface GapTold {
  readonly fromMs: number;
  readonly toMs: number;
  readonly reason: GapSaid["reason"];
  readonly rules: GapSaid["rules"];
}

/** Nobody looked. */
export function gapFrame(voice: Voice, { fromMs, toMs, reason, rules }: GapTold): EgressFrame {
  const input = { from: timeText(Math.min(fromMs, toMs)), to: timeText(toMs), reason };
  return {
    ...said(voice, "conntrack"),
    ...{ action_type: "dev.countersign.egress.gap", decision: "allowed", input },
    idempotency_key: `gap-${voice.sandboxId}-${reason}-${toMs}`,
    binding: { ...placeOf(voice), gap: { ...input, ...(rules === undefined ? {} : { rules }) } },
  };
}

type Said = Omit<EgressFrame, "action_type" | "decision" | "input" | "idempotency_key" | "binding">;

function said({ sandboxId, limits, enforcement }: Voice, server: EgressFrame["tool"]["server"]): Said {
  return {
    ...{ v: "1", ts_emit: new Date().toISOString(), session_id: sandboxId, channel: "opensandbox_execd" },
    ...{ tool: { name: "network.egress", server }, ack: true, enforcement },
    coverage: {
      covers: ["network_egress"],
      excludes: ["command", "code", "files", "directories", "pty"],
      placement: "ingress_egress",
      limits,
    },
  };
}

function placeOf({ sandboxId }: Voice): Place {
  return { sandbox_id: sandboxId, endpoint: "/network", route: "egress", placement: "ingress_egress" };
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
