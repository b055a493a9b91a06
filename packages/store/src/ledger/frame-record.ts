import { fillTemplate, type Placeholder, type ReceiptDraft } from "@countersign/receipts";

/** A receipt of what another process says happened; the ledger adds whose ledger it is, and its place in it. */
export type EmittedDraft = Omit<ReceiptDraft, "issuer" | "terminal" | "status"> & {
  readonly issuer: Omit<ReceiptDraft["issuer"], "id">;
};

/** What many frames of an emitter say alike: the same object for all of them, so that it is checked and written once. */
export interface EmittedForm {
  readonly draft: EmittedDraft;
  readonly blanks: readonly Placeholder[];
}

/** A draft that differs from others in a few texts; see `ReceiptTemplate`. */
export interface FilledForm {
  readonly form: EmittedForm;
  /** Of each of its blanks. */
  readonly values: readonly string[];
}

export type EmittedReceipt = EmittedDraft | FilledForm;

export function draftOf(receipt: EmittedReceipt): EmittedDraft {
  return "form" in receipt ? fillTemplate(receipt.form.draft, receipt.form.blanks, receipt.values) : receipt;
}

/** A form never leaves it blank. */
export function actionTypeOf(receipt: EmittedReceipt): string {
  return ("form" in receipt ? receipt.form.draft : receipt).credentialSubject.action.type;
}

/** One emitter's frame, as it goes into the ledger: all of its receipts or none. */
export interface FrameRecord {
  /** Whose frame: idempotency keys of different emitters have nothing to do with each other. */
  readonly emitter: string;
  /** Which sub-chain, after the installation: never a chain that the hub writes to. */
  readonly chain: `uid:${number}` | `sandbox:${string}`;
  readonly idempotencyKey: string | null;
  readonly atMs: number;
  /** What came first (drops), then what the frame is about. */
  readonly receipts: readonly [...EmittedReceipt[], EmittedReceipt];
  /** How many chains this emitter may begin in a day. */
  readonly chainsPerDay: number;
}

/** The frame's own receipt, durable. `repeated`: under this key it was there already, and nothing was added. */
export type Recorded =
  | { readonly kind: "recorded" | "repeated"; readonly seq: number; readonly hash: string }
  | { readonly kind: "refused"; readonly refusal: "TOO_MANY_CHAINS" };
