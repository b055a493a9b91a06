export { StartCheck } from "./check-again.ts";
export { claimCommand, claimedPermit } from "./claim-command.ts";
export { ExternalRuns } from "./external-runs.ts";
export { HeldPermits } from "./held-permits.ts";
export { issuePermit, issuePreviewPermit, type KeptDecision, Permit } from "./permit.ts";
