import type { SandboxView } from "@countersign/protocol/records";
import { counted, many } from "../base/index.ts";

/** The gaps in the record. */
export function gapWords({ dropped, outside, incompleteSessions }: SandboxView): readonly string[] {
  return [
    ...(dropped === 0 ? [] : [`${counted(dropped, "frame")} never came`]),
    ...(outside.dropped === 0 ? [] : [`${counted(outside.dropped, "frame")} of the observer’s never came`]),
    ...(outside.gaps === 0
      ? []
      : [`nobody watched its network for a while${outside.gaps === 1 ? "" : `, ${many(outside.gaps)} times`}`]),
    ...(incompleteSessions === 0 ? [] : [`${counted(incompleteSessions, "terminal")} without an end`]),
  ];
}

/** Sums up the network activity that the host observed; empty if it wasn't observed. */
export function outsideWords({ outside: { flows, blocked } }: SandboxView): string {
  if (flows === 0) return "";
  return `${counted(flows, "flow")} seen from outside${blocked === 0 ? "" : `, ${many(blocked)} blocked`}`;
}
