export { type Asked, ask } from "./ask.ts";
export type {
  CheckedProofView,
  HubAccess,
  NearReceipt,
  Order,
  Progress,
  Verified,
  Vouched,
  WitnessedHub,
} from "./messages.ts";
