export {
  GatewayError,
  type GatewayErrorCode,
  makeMessageId,
  type SocketLike,
  type WebSocketConstructor,
} from "./errors/index.ts";
export { type FollowOptions, type FollowRunsOptions, followOutput, followRuns } from "./follow/index.ts";
export {
  type ConnectionState,
  GatewayClient,
  type GatewayClientOptions,
  type MessageListener,
  type RequestOptions,
  type StateListener,
} from "./gateway/index.ts";
export {
  deriveRelayKeys,
  isHubProof,
  keyHintOf,
  makeRelayShare,
  proveHub,
  RelayChannel,
  type RelayEnds,
  type RelayKeys,
  type RelayMessage,
  relayClaimOf,
  relaySecretOf,
} from "./relay/index.ts";
export { RpcError, type RpcEvent, RpcLink } from "./rpc/index.ts";
export {
  type CardSigner,
  type ChangeToSign,
  cardSigner,
  type Decided,
  type DecisionSignature,
  type DecisionToSign,
  type DeviceKey,
  decisionToSign,
  generateDeviceKey,
  importDeviceKey,
  keyIdOf,
  makeNonce,
  type PlainAnswer,
  type SigningKey,
  shownHash,
  signChange,
  signDecision,
  signFresh,
  verifyDecision,
} from "./sign/index.ts";
