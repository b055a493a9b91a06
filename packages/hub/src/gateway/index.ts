export { DEFAULT_GATEWAY_PORT, type Gateway, type GatewayOptions, startGateway } from "./gateway.ts";
export { HubRelay } from "./hub-relay.ts";
export { RelaySecrets } from "./relay-secrets.ts";
