import { RISK_LEVELS, type RiskLevel } from "./receipt.ts";

/** The action types of Agent Receipts with their default risk, by domain. */
export const PEER_TYPES = {
  "filesystem.file.create": "low",
  "filesystem.file.read": "low",
  "filesystem.file.modify": "medium",
  "filesystem.file.delete": "high",
  "filesystem.file.move": "medium",
  "filesystem.directory.create": "low",
  "filesystem.directory.delete": "high",
  "filesystem.directory.list": "low",

  "system.application.launch": "low",
  "system.application.control": "medium",
  "system.settings.modify": "high",
  "system.command.execute": "high",
  "system.code.execute": "high",
  "system.pty.open": "critical",
  "system.pty.close": "high",
  "system.browser.navigate": "low",
  "system.browser.form_submit": "medium",
  "system.browser.authenticate": "high",

  "network.egress.observed": "medium",

  "communication.email.send": "high",
  "communication.email.draft": "medium",
  "communication.email.read": "low",
  "communication.email.delete": "high",
  "communication.message.send": "high",
  "communication.calendar.create": "medium",
  "communication.calendar.modify": "medium",
  "communication.calendar.delete": "high",

  "document.file.create": "low",
  "document.file.modify": "medium",
  "document.file.delete": "high",
  "document.file.share": "high",
  "document.spreadsheet.modify_cell": "medium",
  "document.spreadsheet.modify_formula": "high",
  "document.spreadsheet.modify_structure": "medium",
  "document.presentation.modify_slide": "medium",

  "financial.payment.initiate": "critical",
  "financial.payment.authorize": "critical",
  "financial.subscription.create": "critical",
  "financial.subscription.cancel": "high",
  "financial.booking.create": "high",
  "financial.booking.cancel": "high",

  "data.api.read": "low",
  "data.api.write": "medium",
  "data.api.delete": "high",
  "data.database.query": "low",
  "data.database.modify": "high",
} as const satisfies Record<string, RiskLevel>;

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

export type ActionType = keyof typeof PEER_TYPES | keyof typeof OUR_TYPES;

/** Where we write more than the peer's table says: its ADR calls the end of a terminal as critical as its beginning. */
const RAISED: { readonly [type: string]: RiskLevel } = { "system.pty.close": "critical" };

const FLOORS: ReadonlyMap<string, RiskLevel> = new Map(
  Object.entries<RiskLevel>({ ...PEER_TYPES, ...OUR_TYPES, ...RAISED }),
);

/** The least that an action of this type is written with; null for a type that neither table knows. */
export function riskFloor(type: string): RiskLevel | null {
  return FLOORS.get(type) ?? null;
}

/** A level may be raised above the table's, never lowered. */
export function riskOf(type: ActionType, judged: RiskLevel = "low"): RiskLevel {
  const floor = riskFloor(type) ?? "medium";
  return isBelow(judged, floor) ? floor : judged;
}

export function isBelow(level: RiskLevel, floor: RiskLevel): boolean {
  return RISK_LEVELS.indexOf(level) < RISK_LEVELS.indexOf(floor);
}
