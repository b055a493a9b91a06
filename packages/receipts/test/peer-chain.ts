import {
  canonicalize,
  describeRotation,
  didUrlOfKey,
  hashReceipt,
  type RecordItem,
  type RecordSource,
  type Signer,
} from "@countersign/receipts";
import { crypto } from "./sample-chain.ts";

/** A receipt as another program writes it: any version, and a proof that may name any key. */
export interface PeerReceipt {
  readonly version?: string;
  readonly context?: string;
  readonly outcome?: object;
  /** Hands the chain over to this key. */
  readonly rotateTo?: Signer;
}

/** Chains of another program's: no mark of this library, no commitment to a next key. */
export class PeerChain {
  readonly lines: string[] = [];
  readonly chainId: string;
  readonly #method: string;
  #signer: Signer;
  #last: object | null = null;

  constructor(signer: Signer, chainId = "one", method = didUrlOfKey(signer.publicKey)) {
    this.#signer = signer;
    this.chainId = chainId;
    this.#method = method;
  }

  async append({
    version = "0.5.0",
    context = contextOf(version),
    outcome,
    rotateTo,
  }: PeerReceipt = {}): Promise<this> {
    const sequence = this.lines.length + 1;
    const at = "2026-06-21T10:00:00Z";
    const oldKey = this.#signer.publicKey;
    const receipt = {
      "@context": ["https://www.w3.org/ns/credentials/v2", context],
      id: `urn:receipt:${this.chainId}-${sequence}`,
      type: ["VerifiableCredential", "AgentReceipt"],
      version,
      issuer: { id: "did:agent:peer" },
      issuanceDate: at,
      credentialSubject: {
        principal: { id: "did:user:ann" },
        action: { id: `act_${sequence}`, type: "filesystem.file.read", risk_level: "low", timestamp: at },
        outcome: { status: "success", ...outcome },
        chain: {
          sequence,
          previous_receipt_hash: this.#last === null ? null : hashReceipt(this.#last, crypto),
          chain_id: this.chainId,
        },
        ...(rotateTo ? { keyRotation: describeRotation({ oldKey, newKey: rotateTo.publicKey }, crypto) } : {}),
      },
    };
    const signature = await this.#signer.sign(Buffer.from(canonicalize(receipt)));
    const proof = {
      type: "Ed25519Signature2020",
      created: at,
      verificationMethod: this.#isNamed ? this.#method : didUrlOfKey(this.#signer.publicKey),
      proofPurpose: "assertionMethod",
      proofValue: `u${Buffer.from(signature).toString("base64url")}`,
    };
    this.#last = receipt;
    this.lines.push(JSON.stringify({ ...receipt, proof }));
    if (rotateTo) this.#signer = rotateTo;
    return this;
  }

  get #isNamed(): boolean {
    return !this.#method.startsWith("did:key:");
  }

  static async of(length: number, signer: Signer, chainId?: string, method?: string): Promise<PeerChain> {
    const chain = new PeerChain(signer, chainId, method);
    for (let number = 0; number < length; number += 1) await chain.append();
    return chain;
  }
}

function contextOf(version: string): string {
  const minor = Number(version.split(".")[1]);
  return `https://agentreceipts.ai/context/v${minor < 5 ? 1 : minor === 5 ? 2 : 3}`;
}

/** Lines as a source of receipts. */
export function sourceOf(lines: readonly string[], about: Partial<RecordSource> = {}): RecordSource {
  const items: RecordItem[] = lines.map((line) => ({ raw: Buffer.from(line) }));
  return { isLedger: false, batches: () => [items], ...about };
}
