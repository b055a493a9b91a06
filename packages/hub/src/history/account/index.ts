export { proposalAccount } from "./proposal-account.ts";
export { listSandboxes, type SandboxReader, sandboxAccount } from "./sandbox-account.ts";
