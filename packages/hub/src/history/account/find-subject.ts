import { HubError } from "@countersign/core/errors";
import type { Receipt } from "@countersign/receipts";
import {
  type ApprovalRecord,
  type LedgerHead,
  type ProposalRecord,
  receiptKey,
  type StoredReceipt,
} from "@countersign/store";
import type { RecordReader } from "./record-reader.ts";

type Found = StoredReceipt & LedgerHead;

/** Everything on record that an id refers to. */
export interface Subject {
  readonly proposal: ProposalRecord | null;
  readonly approval: ApprovalRecord | null;
  readonly receipts: readonly Found[];
}

/** For policy changes, which have no proposal. */
const MAX_POLICY_CHANGES = 1_000;

/** Finds a receipt by number, hash or urn; else an approval; else a proposal by our key or by its agent's id. */
export async function findSubject(reader: RecordReader, id: string): Promise<Subject | null> {
  const receipt = await findReceipt(reader, id);
  if (receipt !== null) return await aroundReceipt(reader, receipt);
  const approval = await reader.approval(id);
  if (approval !== null && approval.proposalKey === null) return await aroundPolicyApproval(reader, approval);
  const key = approval?.proposalKey ?? (await keyOf(reader, id));
  return key === null ? null : await aroundProposal(reader, key);
}

async function findReceipt(reader: RecordReader, id: string): Promise<Found | null> {
  const key = receiptKey(id);
  return key && (await reader.receiptBy(key));
}

async function keyOf(reader: RecordReader, id: string): Promise<string | null> {
  if ((await reader.proposal(id)) !== null) return id;
  const named = await reader.proposalsNamed(id);
  if (named.length > 1) {
    const keys = named.map(({ key }) => key).join(", ");
    throw new HubError("INVALID_PARAMS", `Several agents have a proposal of this name; say which: ${keys}`);
  }
  return named[0]?.key ?? null;
}

async function aroundReceipt(reader: RecordReader, receipt: Found): Promise<Subject> {
  const proposal = (JSON.parse(receipt.raw) as Receipt).issuer.runtime?.proposal;
  if (typeof proposal === "string") return await aroundProposal(reader, proposal);
  return { proposal: null, approval: null, receipts: [receipt] };
}

async function aroundProposal(reader: RecordReader, key: string): Promise<Subject> {
  const proposal = await reader.proposal(key);
  const approval = proposal?.approvalId == null ? null : await reader.approval(proposal.approvalId);
  return { proposal, approval, receipts: await reader.receiptsOf(key) };
}

async function aroundPolicyApproval(reader: RecordReader, approval: ApprovalRecord): Promise<Subject> {
  const page = { afterSeq: 0, type: "policy-changed", limit: MAX_POLICY_CHANGES };
  const { receipts: changes } = await reader.findReceipts(page);
  // Searches the text for the id. Readers of the account see what exactly is said about it.
  const receipts = changes.filter(({ raw }) => raw.includes(JSON.stringify(approval.id)));
  return { proposal: null, approval, receipts };
}
