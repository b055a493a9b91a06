import type { SandboxView } from "@countersign/sdk";
import { counted } from "../words.ts";

/** What isn't on record. */
export function gapWords({ dropped, incompleteSessions }: SandboxView): readonly string[] {
  return [
    ...(dropped === 0 ? [] : [`${counted(dropped, "frame")} never came`]),
    ...(incompleteSessions === 0 ? [] : [`${counted(incompleteSessions, "terminal")} without an end`]),
  ];
}
