import type { EmitterRole } from "../../packages/recorder/src/frames/attribution.ts";

const AT = "2026-01-02T03:04:05.006Z";
const PLACE = { sandbox_id: "sbx-1", endpoint: "/network", route: "egress", placement: "ingress_egress" };
const FLOW = {
  dst_addr: "192.0.2.7",
  dst_port: 443,
  protocol: "tcp",
  bytes_out: 512,
  verdict: "allowed",
  started_at: AT,
  ended_at: AT,
  part: "final",
  name: "example.org",
};
const SEEN_FROM_OUTSIDE = {
  covers: ["network_egress"],
  excludes: ["command", "code", "files", "directories", "pty"],
  placement: "ingress_egress",
  limits: ["sees addresses, ports and bytes"],
};

/** One frame of each kind that a recorder takes, as emitters send them, and who sends it. */
export const FRAMES: readonly { readonly role: EmitterRole; readonly frame: object }[] = [
  {
    role: "relay",
    frame: {
      v: "1",
      ts_emit: AT,
      session_id: "s1",
      channel: "mcp",
      tool: { name: "search", server: "docs" },
      decision: "allowed",
      input: { query: "ünïcödé", limit: 3 },
      output: { isError: true },
      error: "not found",
      issuer_name: "agent",
      issuer_model: "model-1",
      operator_id: "op",
      idempotency_key: "i1",
      correlation_id: "c1",
      agent_id: "a1",
      agent_type: "coder",
    },
  },
  {
    role: "relay",
    frame: {
      v: "1",
      ts_emit: AT,
      session_id: "sbx-1",
      channel: "opensandbox_execd",
      tool: { name: "command", server: "execd" },
      action_type: "system.command.execute",
      decision: "allowed",
      input: { command: "ls" },
      output: { exit_code: 0 },
      correlation_id: "c2",
      idempotency_key: "i2",
      binding: {
        sandbox_id: "sbx-1",
        endpoint: "/command",
        route: "POST /command",
        placement: "execd",
        started_at: AT,
      },
      coverage: {
        covers: ["command"],
        excludes: ["network_egress"],
        placement: "execd",
        limits: ["what a command does isn't seen"],
      },
      enforcement: "advisory",
    },
  },
  {
    role: "egress",
    frame: {
      v: "1",
      ts_emit: AT,
      session_id: "sbx-1",
      channel: "opensandbox_execd",
      tool: { name: "network.egress", server: "conntrack" },
      action_type: "network.egress.observed",
      decision: "allowed",
      input: { dst_addr: FLOW.dst_addr, dst_port: FLOW.dst_port, protocol: FLOW.protocol },
      output: { bytes_out: FLOW.bytes_out, verdict: FLOW.verdict },
      correlation_id: "f1",
      idempotency_key: "f1-final",
      ack: true,
      binding: { ...PLACE, flow: FLOW },
      coverage: SEEN_FROM_OUTSIDE,
      enforcement: "enforced",
    },
  },
  {
    role: "egress",
    frame: {
      v: "1",
      ts_emit: AT,
      session_id: "sbx-1",
      channel: "opensandbox_execd",
      tool: { name: "network.egress", server: "conntrack" },
      action_type: "dev.countersign.egress.gap",
      decision: "allowed",
      input: { from: AT, to: AT, reason: "overrun" },
      idempotency_key: "gap-1",
      ack: true,
      binding: { ...PLACE, gap: { from: AT, to: AT, reason: "overrun" } },
      coverage: SEEN_FROM_OUTSIDE,
      enforcement: "enforced",
    },
  },
];
