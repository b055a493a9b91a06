import type { RiskLevel } from "./receipt.ts";

/**
 * What goes on our record and has no name in the taxonomy. Own types need a reverse-domain prefix and a default risk;
 * the last three are the peer's own, which its taxonomy leaves out.
 */
export const OUR_TYPES = {
  /** The first receipt of an installation. */
  "dev.countersign.ledger.open": "low",
  /** Tried out with nothing kept. */
  "dev.countersign.command.preview": "low",
  /** A tool of an MCP server; `action.target` names both. */
  "dev.countersign.tool.call": "medium",
  "dev.countersign.policy.change": "high",
  "dev.countersign.config.change": "high",
  "dev.countersign.auth.failure": "medium",
  "dev.countersign.token.create": "high",
  "dev.countersign.token.revoke": "medium",
  "dev.countersign.device.claim": "high",
  /** Somebody looked at what a card hides. */
  "dev.countersign.approval.reveal": "medium",
  "dev.countersign.session.pause": "low",
  "dev.countersign.session.resume": "medium",
  "dev.countersign.adapter.install": "medium",
  "dev.countersign.adapter.remove": "high",
  "dev.countersign.hub.up": "low",
  "dev.countersign.hub.down": "low",
  "dev.countersign.checkpoint": "low",
  /** The record was found shorter than a witness remembers it. */
  "dev.countersign.epoch.open": "critical",
  /** Nobody watched what left a sandbox for a while. */
  "dev.countersign.egress.gap": "medium",
  "agent.key.rotate": "high",
  "agent_receipts.events_dropped": "medium",
  /** `action.target.system` names the tool. */
  unknown: "medium",
} as const satisfies Record<string, RiskLevel>;
