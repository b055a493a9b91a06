import {
  type ChainPlace,
  createReceipt,
  didOfKey,
  type ReceiptDraft,
  type ReceiptHead,
  Sealer,
  type Signer,
} from "@countersign/receipts";
import { generateSigningKey, nodeCrypto, signerFromPem } from "@countersign/receipts/node";

export const crypto = nodeCrypto();

export function newSigner(): Signer {
  return signerFromPem(generateSigningKey().privatePem);
}

const uuid = (kind: string, number: number) => `${kind}0000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

/** A draft like the recorder's: a command that a person allowed. */
export function draftOf(number: number, issuerId: string, changes: Partial<ReceiptDraft> = {}): ReceiptDraft {
  const at = new Date(Date.UTC(2026, 5, 9) + number * 1_000).toISOString();
  return {
    id: `urn:receipt:${uuid("a", number)}`,
    issuer: {
      id: issuerId,
      type: "AIAgent",
      session_id: "session-1",
      runtime: {
        channel: "exec",
        enforcement: "enforced",
        decision: { by: "person", person: "Ann é 😀", effects: ["write"] },
      },
    },
    issuanceDate: at,
    credentialSubject: {
      principal: { id: "did:user:ann", type: "HumanPrincipal" },
      action: {
        id: `act_${uuid("b", number)}`,
        type: "system.command.execute",
        risk_level: "high",
        target: { system: "bash", resource: 'npm run "build" <x>&\\' },
        parameters_hash: `sha256:${"ab".repeat(32)}`,
        timestamp: at,
      },
      outcome: { status: "success" },
      correlation_id: `proposal-${number}`,
    },
    ...changes,
  };
}

/** Writes a chain, one receipt after the other, changing keys where it is told to. */
export class SampleChain {
  readonly raws: Uint8Array[] = [];
  readonly chainId: string;
  readonly issuerId: string;
  #sealer: Sealer;
  #head: ReceiptHead | null = null;

  constructor(signer: Signer, chainId = "chain-root", issuerId = didOfKey(signer.publicKey)) {
    this.#sealer = new Sealer(signer);
    this.issuerId = issuerId;
    this.chainId = chainId;
  }

  get head(): ReceiptHead | null {
    return this.#head;
  }

  signWith(signer: Signer): void {
    this.#sealer = new Sealer(signer);
  }

  async append(change: (draft: ReceiptDraft) => ReceiptDraft = (draft) => draft): Promise<Uint8Array> {
    const place: ChainPlace = { chainId: this.chainId, head: this.#head };
    const unsealed = createReceipt(change(draftOf(this.raws.length + 1, this.issuerId)), place, crypto);
    this.#head = unsealed.head;
    const raw = await this.#sealer.seal(unsealed);
    this.raws.push(raw);
    return raw;
  }

  static async of(length: number, signer = newSigner(), chainId?: string): Promise<SampleChain> {
    const chain = new SampleChain(signer, chainId);
    for (let number = 0; number < length; number += 1) await chain.append();
    return chain;
  }
}

export function withRuntime(draft: ReceiptDraft, members: { readonly [key: string]: unknown }): ReceiptDraft {
  return { ...draft, issuer: { ...draft.issuer, runtime: { ...draft.issuer.runtime, ...members } } };
}

export function withSubject(draft: ReceiptDraft, members: Partial<ReceiptDraft["credentialSubject"]>): ReceiptDraft {
  return { ...draft, credentialSubject: { ...draft.credentialSubject, ...members } };
}
