import { createPrivateKey, createPublicKey, randomUUID } from "node:crypto";
import {
  createReceipt,
  didOfKey,
  type ReceiptDraft,
  type ReceiptHead,
  readReceipt,
  Sealer,
} from "@countersign/receipts";
import { generateSigningKey, nodeCrypto, signerFromPem } from "@countersign/receipts/node";

const { privatePem, publicPem } = generateSigningKey();
const crypto = nodeCrypto();

export const signer = signerFromPem(privatePem);
export const [privateKey, publicKey] = [createPrivateKey(privatePem), createPublicKey(publicPem)];
const issuerId = didOfKey(signer.publicKey);

/** A decision as the recorder writes it: about 1.5 kB. */
function draft(): ReceiptDraft {
  const at = new Date().toISOString();
  return {
    id: `urn:receipt:${randomUUID()}`,
    issuer: {
      id: issuerId,
      type: "AIAgent",
      session_id: "5f0c5f43-6b0f-4d9b-8f0e-0f6f6f1d9a11",
      runtime: {
        channel: "exec",
        enforcement: "enforced",
        decision: {
          verdict: "allow",
          by: "person",
          person: "ann",
          device: "phone",
          assurance: "passkey",
          effects: ["write", "network"],
        },
        policy: `sha256:${"5a".repeat(32)}`,
        jail: "bubblewrap",
      },
    },
    issuanceDate: at,
    credentialSubject: {
      principal: { id: "did:user:ann", type: "HumanPrincipal" },
      action: {
        id: `act_${randomUUID()}`,
        type: "system.command.execute",
        risk_level: "high",
        target: { system: "bash", resource: "/home/ann/work/project" },
        parameters_hash: `sha256:${"ab".repeat(32)}`,
        timestamp: at,
      },
      outcome: { status: "pending" },
      correlation_id: "0197a7a0-0000-7000-8000-000000000001",
    },
  };
}

/** One chain of so many, signed. */
export async function writeReceipts(count: number): Promise<Uint8Array[]> {
  const sealer = new Sealer(signer);
  const raws: Uint8Array[] = [];
  let head: ReceiptHead | null = null;
  for (let number = 0; number < count; number += 1) {
    const unsealed = createReceipt(draft(), { chainId: "root", head }, crypto);
    head = unsealed.head;
    raws.push(await sealer.seal(unsealed));
  }
  return raws;
}

/** What is signed of each. */
export function messagesOf(raws: readonly Uint8Array[]): Buffer[] {
  return raws.map((raw) => {
    const read = readReceipt(raw);
    if (read.kind !== "receipt") throw new Error(read.reason);
    return Buffer.from(read.message);
  });
}
