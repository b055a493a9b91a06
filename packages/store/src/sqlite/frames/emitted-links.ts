import { randomUUID } from "node:crypto";
import {
  ByteSlab,
  createReceipt,
  type FilledReceipt,
  newPlaceholder,
  type ReceiptHead,
  ReceiptTemplate,
} from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import type { EmittedForm, EmittedReceipt, FilledForm } from "../../ledger/index.ts";
import { emittedReceipt } from "../ledger/index.ts";

const crypto = nodeCrypto();

const LINK = { ...newPlaceholder("sha256", randomUUID().replaceAll("-", "")), kind: "sha256" } as const;

interface Link {
  readonly issuer: string;
  readonly chainId: string;
  readonly head: ReceiptHead;
}

/** Links what emitters say to chains that have begun; of what is said in one form, only what differs is written each time. */
export class EmittedLinks {
  /** A form is of one chain; that has another name after a change of the key. */
  readonly #forms = new WeakMap<EmittedForm, { readonly chainId: string; readonly form: ReceiptTemplate }>();

  /** What was linked stands there, until it is signed. */
  readonly slab = new ByteSlab();

  link(receipt: EmittedReceipt, { issuer, chainId, head }: Link): FilledReceipt {
    if (!("form" in receipt)) return createReceipt(emittedReceipt(receipt, { issuer }), { chainId, head }, crypto);
    return this.#formOf(receipt, { issuer, chainId }).fill(receipt.values, head, { crypto, slab: this.slab });
  }

  #formOf({ form: emitted }: FilledForm, { issuer, chainId }: Omit<Link, "head">): ReceiptTemplate {
    const known = this.#forms.get(emitted);
    if (known?.chainId === chainId) return known.form;
    const { draft, blanks } = emitted;
    const form = new ReceiptTemplate(emittedReceipt(draft, { issuer }), { chainId, link: LINK, blanks });
    this.#forms.set(emitted, { chainId, form });
    return form;
  }
}
