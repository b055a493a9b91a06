/** What an observer of a sandbox's network says: docs/opensandbox-record.md has the forms. */
export const COVERAGE_B = {
  covers: ["network_egress"],
  excludes: ["command", "code", "files", "directories", "pty"],
  placement: "ingress_egress",
  limits: ["What is sent inside of an allowed flow isn't seen."],
};

const FLOW = {
  ...{ dst_addr: "10.0.0.2", dst_port: 443, protocol: "tcp", bytes_out: 1_234, verdict: "allowed" },
  ...{ started_at: "2026-01-02T03:04:05.000Z", ended_at: "2026-01-02T03:04:09.400Z", part: "final" },
};

function observed(sandbox_id: string, seen: object): Record<string, unknown> {
  return {
    ...{ v: "1", ts_emit: "2026-01-02T03:04:09.500Z", session_id: sandbox_id, channel: "opensandbox_execd" },
    ...{ tool: { name: "network.egress", server: "conntrack" }, ack: true, enforcement: "none" },
    binding: { sandbox_id, endpoint: "/network", route: "egress", placement: "ingress_egress", ...seen },
    coverage: COVERAGE_B,
  };
}

/** The members of the flow that are given as undefined are left out. */
export function flowFrame(sandbox: string, set: object = {}, more: object = {}): Record<string, unknown> {
  const flow = JSON.parse(JSON.stringify({ ...FLOW, ...set })) as typeof FLOW;
  const { dst_addr, dst_port, protocol, bytes_out, verdict, started_at, part } = flow;
  const id = `flow-${started_at}-${dst_port}`;
  return {
    ...observed(sandbox, { flow }),
    ...{ action_type: "network.egress.observed", decision: verdict === "blocked" ? "denied" : "allowed" },
    ...{ input: { dst_addr, dst_port, protocol }, output: { bytes_out, verdict } },
    ...{ correlation_id: id, idempotency_key: `${id}-${part}-${bytes_out}` },
    ...more,
  };
}

export function gapFrame(sandbox: string, set: object = {}, more: object = {}): Record<string, unknown> {
  const times = { from: "2026-01-02T03:05:00.000Z", to: "2026-01-02T03:09:59.000Z" };
  const gap = { ...times, reason: "not-running", rules: "stayed", ...set };
  const { from, to, reason } = gap;
  return {
    ...observed(sandbox, { gap }),
    ...{ action_type: "dev.countersign.egress.gap", decision: "allowed", enforcement: "enforced" },
    ...{ input: { from, to, reason }, idempotency_key: `gap-${sandbox}-${from}`, ...more },
  };
}
