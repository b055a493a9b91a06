import { OUR_TYPES } from "./our-types.ts";
import { PEER_TYPES } from "./peer-types.ts";
import { RISK_LEVELS, type RiskLevel } from "./receipt.ts";

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
