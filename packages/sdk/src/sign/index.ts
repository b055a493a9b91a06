export { type DeviceKey, generateDeviceKey, importDeviceKey, keyIdOf, type SigningKey } from "./device-key.ts";
export {
  type CardSigner,
  cardSigner,
  type Decided,
  type DecisionSignature,
  type PlainAnswer,
  shownHash,
  signFresh,
} from "./sign-card.ts";
export { type ChangeToSign, signChange } from "./sign-change.ts";
export { type DecisionToSign, decisionToSign, makeNonce, signDecision, verifyDecision } from "./sign-decision.ts";
