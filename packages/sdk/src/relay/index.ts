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
export { relayThrough } from "./relay-socket.ts";
