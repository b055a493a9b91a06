import { HubError } from "@countersign/core/errors";
import { filterSecrets, redactCommand } from "@countersign/core/redaction";
import type { Story, StoryStep } from "@countersign/protocol/records";
import { REDACTION_MARK } from "@countersign/protocol/text";
import { type Receipt, readReceipt } from "@countersign/receipts";
import {
  type ApprovalRecord,
  type LedgerHead,
  type ProposalRecord,
  type StoredReceipt,
  StoreError,
  saltedHash,
  saltedProposalHash,
} from "@countersign/store";
import { hashProposal } from "../../proposals/index.ts";
import { openSurroundings, type Surroundings } from "./check-around.ts";
import { findSubject } from "./find-subject.ts";
import type { RecordReader } from "./record-reader.ts";

/**
 * Returns the account of one proposal or receipt: everything on record about it, in order, and whether that is
 * complete. Throws NOT_FOUND for anything else.
 */
export async function proposalAccount(reader: RecordReader, id: string): Promise<Story> {
  const subject = await findSubject(reader, id);
  if (subject === null) throw new HubError("NOT_FOUND", "There's no receipt, proposal or approval with this id");
  const surroundings = await openSurroundings(reader);
  const steps: StoryStep[] = [];
  for (const receipt of subject.receipts) steps.push(await stepOf(receipt, surroundings));
  const texts = checkTexts(subject.proposal, steps);
  return {
    texts,
    proposal: subject.proposal && describeProposal(subject.proposal),
    approval: subject.approval && describeApproval(subject.approval),
    devices: await devicesIn(steps, reader),
    steps,
    whole:
      steps.every(({ check }) => check.signed && check.linked && check.inTree !== "failed") &&
      Object.values(texts ?? {}).every((text) => text !== "other"),
    checkpoint: surroundings.checkpoint && {
      size: surroundings.checkpoint.size,
      root: Buffer.from(surroundings.checkpoint.root).toString("base64"),
    },
  };
}

/** An open proposal still has its text with secrets, so that is redacted here. */
function describeProposal(proposal: ProposalRecord): NonNullable<Story["proposal"]> {
  const { key, proposalId, sessionId, command, cwd, state, createdAtMs } = proposal;
  const session = sessionId;
  return { key, proposalId, session, command: redactCommand(command), cwd: filterSecrets(cwd), state, createdAtMs };
}

function describeApproval({ id, state, deliveredAtMs, expiresAtMs }: ApprovalRecord): NonNullable<Story["approval"]> {
  return { id, state, deliveredAtMs, expiresAtMs };
}

async function stepOf(stored: StoredReceipt & LedgerHead, surroundings: Surroundings): Promise<StoryStep> {
  const read = readReceipt(Buffer.from(stored.raw));
  if (read.kind === "malformed") {
    throw new StoreError("CORRUPT", `Receipt ${stored.seq} is unreadable (${read.reason}). Verify the ledger.`);
  }
  const { id, issuanceDate, issuer, credentialSubject } = read.receipt;
  const { chain, action } = credentialSubject;
  return {
    at: issuanceDate,
    type: typeof issuer.runtime?.entry === "string" ? issuer.runtime.entry : action.type,
    seq: stored.seq,
    hash: stored.hash,
    id,
    chainId: chain.chain_id,
    sequence: chain.sequence,
    risk: action.risk_level,
    said: saidIn(read.receipt),
    check: await surroundings.check(stored),
  };
}

function saidIn({ issuer }: Receipt): StoryStep["said"] {
  const { decision, outcome, details } = (issuer.runtime ?? {}) as Record<string, unknown>;
  const said = decision ?? outcome ?? details;
  return typeof said === "object" && said !== null ? (said as StoryStep["said"]) : {};
}

async function devicesIn(steps: readonly StoryStep[], reader: RecordReader): Promise<Record<string, string>> {
  const names: [string, string][] = [];
  for (const { said } of steps) {
    const device = typeof said.device === "string" ? await reader.device(said.device) : null;
    if (device) names.push([device.id, device.name]);
  }
  return Object.fromEntries(names);
}

type Texts = NonNullable<Story["texts"]>;

/**
 * Compares the stored texts with the hashes in the receipts, which hold no texts. Redacted texts can't be compared, and
 * outputs are deleted after a while.
 */
function checkTexts(proposal: ProposalRecord | null, steps: readonly StoryStep[]): Story["texts"] {
  const decided = steps.findLast(({ type }) => type === "decided")?.said.proposalHash;
  if (proposal === null || typeof decided !== "string") return null;
  const ended = steps.findLast(({ type }) => type === "ended")?.said ?? {};
  const { salt } = proposal.details;
  const known = typeof salt === "string" ? salt : undefined;
  return {
    command: compareCommand(proposal, decided, known),
    stdout: compareOutput(proposal.outcome?.stdout, ended.stdoutHash, known),
    stderr: compareOutput(proposal.outcome?.stderr, ended.stderrHash, known),
  };
}

function compareCommand(proposal: ProposalRecord, hash: string, salt: string | undefined): Texts["command"] {
  if (saltedProposalHash(hashProposal(proposal), salt) === hash) return "same";
  const { command, cwd, env } = proposal;
  return JSON.stringify([command, cwd, env]).includes(REDACTION_MARK) ? "redacted" : "other";
}

function compareOutput(text: unknown, hash: unknown, salt: string | undefined): Texts["stdout"] {
  if (typeof text !== "string" || typeof hash !== "string") return "gone";
  return saltedHash(text, salt) === hash ? "same" : "other";
}
