import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";

type Effect = ExecApprovalRequestPayload["effects"][number];

/** For tests: a card as a hub sends it. */
export function sampleCard(change: Partial<ExecApprovalRequestPayload> = {}): ExecApprovalRequestPayload {
  return {
    approvalId: "01a1e0d8-dc80-701d-b8bb-8987f28a4e4b",
    agentId: "api",
    command: "npm test",
    cwd: "/home/ann/src/api",
    riskLevel: "needs-review",
    riskReasons: [],
    expiresAtMs: 462_000,
    subject: "exec",
    agentName: "codex",
    jail: "none",
    enforcement: "none",
    env: {},
    effects: [],
    proposalHash: `sha256:${"0".repeat(64)}`,
    ...change,
  };
}

export function effect(pos: number, end: number, sentence: string, risk: Effect["risk"] = "needs-review"): Effect {
  return { kind: "executes", risk, sentence, layer: "shell-syntax", ruleId: "test", span: { pos, end } };
}
