export { keyFileOf, readApiKey } from "./api-key.ts";
export { ASSISTANT, type Config, readConfig, TOOL_NAMES } from "./config.ts";
export { type Home, homeAt, prepareHome } from "./home.ts";
export { DEMO_MODEL, splitModelName } from "./model-name.ts";
export type { ChannelConfig, NotifyConfig } from "./notify-config.ts";
export { NotifyError } from "./notify-error.ts";
export { findProvider, isInClear, type Provider, type Providers } from "./provider-config.ts";
export { addressesOf, type Reach, readTarget } from "./reach.ts";
export { availableMemory, type RunLimits, runLimits } from "./run-limits.ts";
