import type { Hub } from "../../hub/hub.ts";
import type { FrameCounts } from "../../recorder/recorder.ts";

/** Prometheus' text format. Counts only: nothing here tells what ran or who. */
export async function metricsText(hub: Hub, frames: FrameCounts): Promise<string> {
  const { pending, running, paused } = await hub.state();
  const lines = [
    ...gauge("countersign_approvals_pending", "Approvals that wait for an answer", pending),
    ...gauge("countersign_runs", "Commands that run now", running),
    ...gauge("countersign_paused", "1 while everything is paused", paused ? 1 : 0),
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
