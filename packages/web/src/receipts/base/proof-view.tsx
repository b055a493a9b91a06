import type { LedgerProof } from "@countersign/receipts";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { ApiError } from "../../hub/index.ts";
import { Notice } from "../../ui/index.ts";
import type { CheckedProofView } from "../worker/index.ts";
import { ask } from "../worker/index.ts";
import { counted, many, shortKey } from "./format.ts";

export type ProofState =
  | { readonly kind: "none" }
  | { readonly kind: "asking" }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "checked"; readonly proof: LedgerProof; readonly checked: CheckedProofView };

/** Fetches a proof from the hub and checks it in this browser. */
export function useProof(): { proof: ProofState; prove(fetch: () => Promise<LedgerProof | null>): Promise<void> } {
  const [proof, setProof] = useState<ProofState>({ kind: "none" });
  const prove = async (fetch: () => Promise<LedgerProof | null>) => {
    setProof({ kind: "asking" });
    try {
      const given = await fetch();
      if (given === null) return setProof({ kind: "failed", message: "The hub’s answer is no proof." });
      const answer = await ask({ do: "check-proof", proof: given }).answer;
      if (answer.kind === "checked") setProof({ kind: "checked", proof: given, checked: answer.checked });
      else setProof({ kind: "failed", message: answer.kind === "failed" ? answer.message : "No answer came." });
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      setProof({ kind: "failed", message: cause.message });
    }
  };
  return { proof, prove };
}

export function ProofView({ proof, seq }: { proof: ProofState; seq?: number }): VNode | null {
  switch (proof.kind) {
    case "none":
      return null;
    case "asking":
      return <p role="status">Checked…</p>;
    case "failed":
      return <Notice kind="problem">{proof.message}</Notice>;
    case "checked":
      return <Checked proof={proof.proof} checked={proof.checked} seq={seq} />;
  }
}

function Checked({
  proof,
  checked,
  seq,
}: {
  proof: LedgerProof;
  checked: CheckedProofView;
  seq: number | undefined;
}): VNode {
  const { fault, keys, hashes } = checked;
  if (fault !== null) return <Notice kind="problem">The proof doesn’t hold. {fault}</Notice>;
  const key = keys.at(-1);
  return (
    <div class="proof" role="status">
      <p>
        <strong class="proved-word">PROVED</strong> {sentence(proof, seq)} (
        {counted(hashes, "hash").replace("hashs", "hashes")}
        {key !== undefined && `, signed by ${shortKey(key)}`})
      </p>
      {proof.kind === "inclusion" && <pre class="raw">{proof.checkpoint}</pre>}
    </div>
  );
}

function sentence(proof: LedgerProof, seq: number | undefined): string {
  if (proof.kind === "inclusion") return `Receipt ${many(seq ?? proof.seq)} is in the tree that this checkpoint signs.`;
  const { from, to } = proof;
  return `The record of ${counted(to.size, "receipt")} has the first ${many(from.size)} unchanged.`;
}
