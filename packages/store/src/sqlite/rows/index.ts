export { applyAnswer, isAnswerWrite } from "./apply-answer.ts";
export { insertMessage, openChat } from "./apply-chat.ts";
export { claimDevice, insertToken, useNonce } from "./apply-identity.ts";
export { advanceProposal, insertProposal } from "./apply-proposal.ts";
export { toCheckpoint, toFoundReceipt, toHead, toLedgerEntry, toLedgerRow, toStoredReceipt } from "./decode.ts";
export { ProposalReader } from "./read-proposals.ts";
export { assertLimit, closed, MAX_MS } from "./reader.ts";
