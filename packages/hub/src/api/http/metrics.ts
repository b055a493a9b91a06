import type { FrameCounts } from "@countersign/recorder";
import type { Hub } from "../../hub/index.ts";

/**
 * Metrics in Prometheus' text format. They are only counts, because no token is needed for them, and all are in memory,
 * so that a request costs nothing.
 */
export function metricsText(hub: Hub, frames: FrameCounts): string {
  const lines = [
    ...gauge("countersign_approvals_pending", "Approvals that wait for an answer", hub.approvals.pending),
    ...gauge("countersign_runs", "Commands that run now", hub.runs.running),
    ...gauge("countersign_paused", "1 while everything is paused", hub.isPaused ? 1 : 0),
    "# HELP countersign_outcomes_total Proposals that ended since the start, by how",
    "# TYPE countersign_outcomes_total counter",
    ...[...hub.proposals.outcomes].map(([kind, count]) => `countersign_outcomes_total{kind="${kind}"} ${count}`),
    "# HELP countersign_frames_total Frames of emitters since the start, by what came of them",
    "# TYPE countersign_frames_total counter",
    ...[...frames].map(([result, count]) => `countersign_frames_total{result="${result.toLowerCase()}"} ${count}`),
  ];
  return `${lines.join("\n")}\n`;
}

function gauge(name: string, help: string, value: number): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, `${name} ${value}`];
}
