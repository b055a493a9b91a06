export * from "./addresses.ts";
export * from "./agents.ts";
export * from "./approval.ts";
export * from "./attention.ts";
export { Backoff, type BackoffOptions } from "./backoff.ts";
export { ceilingWords } from "./ceiling-words.ts";
export * from "./chain.ts";
export * from "./chat.ts";
export type { ConnectionState, StateListener } from "./connection-state.ts";
export { DECIDER_WORDS } from "./decider-words.ts";
export * from "./device.ts";
export { type DeviceKey, generateDeviceKey, importDeviceKey, keyIdOf, type SigningKey } from "./device-key.ts";
export * from "./envelope.ts";
export * from "./explanation.ts";
export { type FollowOptions, followOutput } from "./follow-output.ts";
export { type FollowRunsOptions, followRuns } from "./follow-runs.ts";
export * from "./found-agent.ts";
export * from "./gateway-client.ts";
export { GatewayError, type GatewayErrorCode } from "./gateway-error.ts";
export type { GatewayClientOptions, RequestOptions } from "./gateway-options.ts";
export * from "./history.ts";
export * from "./hub-state.ts";
export { jailWords } from "./jail-words.ts";
export * from "./late-answer.ts";
export * from "./look-back.ts";
export * from "./mcp.ts";
export { makeMessageId } from "./message-id.ts";
export * from "./methods.ts";
export * from "./notification.ts";
export * from "./outcome.ts";
export * from "./outcome-words.ts";
export * from "./output.ts";
export * from "./policy-edit.ts";
export * from "./policy-view.ts";
export * from "./preview.ts";
export * from "./problem.ts";
export * from "./proposal.ts";
export { proposalHashOf } from "./proposal-hash.ts";
export { quoteWord } from "./quote-word.ts";
export { quoteWords } from "./quote-words.ts";
export * from "./receipt.ts";
export { REDACTION_MARK } from "./redaction-mark.ts";
export * from "./relay.ts";
export { RelayChannel, type RelayEnds, type RelayMessage } from "./relay-channel.ts";
export {
  deriveRelayKeys,
  isHubProof,
  keyHintOf,
  makeRelayShare,
  proveHub,
  type RelayKeys,
  relayClaimOf,
  relaySecretOf,
} from "./relay-keys.ts";
export * from "./report.ts";
export { RISK_WORDS, riskWord } from "./risk-word.ts";
export { RpcError, type RpcEvent, RpcLink } from "./rpc-link.ts";
export * from "./sandbox.ts";
export * from "./sandbox-call.ts";
export { isUnexplained } from "./sandbox-flow-words.ts";
export { sandboxStepNotes, sandboxStepWords } from "./sandbox-words.ts";
export { leftWords, SCRIPT_SILENCE_WORDS, scriptsOf } from "./script-words.ts";
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
export * from "./sign-decision.ts";
export * from "./socket.ts";
export * from "./story.ts";
export { type StoryDecider, storyDecider, storyEnd, storyFacts, storyFaults, storyVerdict } from "./story-words.ts";
export * from "./token.ts";
export { visible, visibleJson, visibleLines } from "./visible.ts";
export type { SocketLike, WebSocketConstructor } from "./web-socket.ts";
export { isRedacted, whyUnchecked } from "./why-unchecked.ts";
export { outcomeSentence, wordsForAgent } from "./words-for-agents.ts";
