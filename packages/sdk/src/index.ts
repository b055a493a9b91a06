export { GatewayError, type GatewayErrorCode } from "./errors/gateway-error.ts";
export { makeMessageId } from "./errors/message-id.ts";
export type { SocketLike, WebSocketConstructor } from "./errors/web-socket.ts";
export { type FollowOptions, followOutput } from "./follow/follow-output.ts";
export { type FollowRunsOptions, followRuns } from "./follow/follow-runs.ts";
export type { ConnectionState, StateListener } from "./gateway/connection-state.ts";
export { GatewayClient, type MessageListener } from "./gateway/gateway-client.ts";
export type { GatewayClientOptions, RequestOptions } from "./gateway/gateway-options.ts";
export { RelayChannel, type RelayEnds, type RelayMessage } from "./relay/relay-channel.ts";
export {
  deriveRelayKeys,
  isHubProof,
  keyHintOf,
  makeRelayShare,
  proveHub,
  type RelayKeys,
  relayClaimOf,
  relaySecretOf,
} from "./relay/relay-keys.ts";
export { RpcError, type RpcEvent, RpcLink } from "./rpc/rpc-link.ts";
export { type DeviceKey, generateDeviceKey, importDeviceKey, keyIdOf, type SigningKey } from "./sign/device-key.ts";
export {
  type CardSigner,
  cardSigner,
  type Decided,
  type DecisionSignature,
  type PlainAnswer,
  shownHash,
  signFresh,
} from "./sign/sign-card.ts";
export { type ChangeToSign, signChange } from "./sign/sign-change.ts";
export { type DecisionToSign, decisionToSign, makeNonce, signDecision, verifyDecision } from "./sign/sign-decision.ts";
