import { writeLetters } from "../canonical/index.ts";
import { type ByteSlab, utf8Bytes } from "../crypto/index.ts";
import { canonicalDraft, type ReceiptHead, type UnsealedReceipt } from "./create.ts";
import { MAX_RECEIPT_BYTES, ReceiptError } from "./error.ts";
import { type Digest, hashBytes, type Sha256Text } from "./hash.ts";
import { BLANKS, type PlaceholderKind, type ReceiptDraft } from "./receipt.ts";

/** A place in a draft that is filled in later, with another text each time. */
export interface Placeholder {
  readonly kind: PlaceholderKind;
  /** What stands there in the draft. */
  readonly mark: string;
  /** Whose texts are filled in: `ours` are what their kind asks for, and aren't looked at again. */
  readonly texts: "ours" | "anyone's";
}

/** `secret`: 32 hex digits that nobody else knows, so that no other text of a draft can hold the mark. */
export function newPlaceholder(
  kind: PlaceholderKind,
  secret: string,
  texts: Placeholder["texts"] = "anyone's",
): Placeholder {
  return { kind, mark: MARKS[kind](secret), texts };
}

const MARKS: Readonly<Record<PlaceholderKind, (secret: string) => string>> = {
  receiptId: (secret) => `urn:receipt:${asUuid(secret)}`,
  actionId: (secret) => `act_${asUuid(secret)}`,
  dateTime: (secret) => `0000-00-00T00:00:00.${BigInt(`0x${secret}`)}Z`,
  sha256: (secret) => `sha256:${secret}${secret}`,
  text: (secret) => secret,
};

function asUuid(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Only what sealing needs: there is no object that holds it all. */
export type FilledReceipt = Omit<UnsealedReceipt, "receipt"> & {
  readonly receipt: Pick<UnsealedReceipt["receipt"], "issuanceDate">;
};

interface TemplateSetting {
  readonly chainId: string;
  /** Where the chain's last receipt is named. */
  readonly link: Placeholder & { readonly kind: "sha256" };
  readonly blanks: readonly Placeholder[];
}

interface FillingTools {
  readonly crypto: Digest;
  /** Where the message is written. */
  readonly slab: ByteSlab;
}

/** Where a chain stands when the form is made is no part of it. */
const SOME_SEQUENCE = 1;

/**
 * Receipts of one chain that differ in a few texts, each checked and written in full only once. What `fill` makes is, byte for byte, what
 * `createReceipt` makes of `fillTemplate`: a blank takes texts of one kind alone, and wherever its mark is accepted they are, too.
 */
export class ReceiptTemplate {
  /** By turns: the canonical text before a blank, and which blank that is. After the last: the rest. */
  readonly #pieces: readonly { readonly before: string; readonly blank: number }[];
  readonly #rest: string;
  readonly #afterProof: number;
  readonly #blanks: readonly Placeholder[];
  /** Which blank dates the receipt. */
  readonly #date: number;

  /** Throws ReceiptError for what the format can't carry. */
  constructor(draft: ReceiptDraft, { chainId, link, blanks }: TemplateSetting) {
    const head = { sequence: SOME_SEQUENCE, hash: link.mark as Sha256Text };
    const { before, after } = canonicalDraft(draft, { chainId, head });
    const holes = blanks.map(({ mark }) => ({ mark, follows: '"' }));
    // Members stand in their order, so that the sequence follows the hash.
    const linked = { mark: `${link.mark}","sequence":${SOME_SEQUENCE + 1}`, follows: "" };
    const { pieces, rest } = cut(`{${before.slice(1)}`, [...holes, linked]);
    this.#pieces = pieces;
    this.#rest = `${rest}${after}}`;
    this.#afterProof = utf8Bytes(after).length + 1;
    this.#blanks = blanks;
    // The type decides what else may be said.
    if (blanks.some(({ mark }) => mark === draft.credentialSubject.action.type))
      throw new ReceiptError("INVALID_DRAFT", "a form says of which type its action is");
    this.#date = blanks.findIndex(({ mark }) => mark === draft.issuanceDate);
    if (this.#date === -1) throw new ReceiptError("INVALID_DRAFT", "a form leaves its date blank");
  }

  /** `values`: for each of the blanks, in their order. Throws ReceiptError for one of another kind. */
  fill(values: readonly string[], head: ReceiptHead, { crypto, slab }: FillingTools): FilledReceipt {
    if (values.length !== this.#blanks.length) throw new ReceiptError("INVALID_DRAFT", "a blank takes one value");
    const written = this.#blanks.map((blank, at) => writeBlank(values[at] as string, blank));
    const sequence = head.sequence + 1;
    written.push(`${head.hash}","sequence":${sequence}`);
    let text = "";
    for (const { before, blank } of this.#pieces) text += before + (written[blank] as string);
    const message = slab.encode(text + this.#rest);
    if (message.length > MAX_RECEIPT_BYTES) throw new ReceiptError("OVERSIZE", `${message.length} bytes`);
    const hash = hashBytes(message, crypto);
    const receipt = { issuanceDate: values[this.#date] as string };
    return { receipt, message, proofAt: message.length - this.#afterProof, hash, head: { sequence, hash } };
  }
}

/** The draft that a form with these values stands for. */
export function fillTemplate<Draft>(draft: Draft, blanks: readonly Placeholder[], values: readonly string[]): Draft {
  const byMark = new Map(blanks.map(({ mark }, at) => [mark, values[at]]));
  const fill = (value: unknown): unknown => {
    if (typeof value === "string") return byMark.get(value) ?? value;
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fill(member)]));
  };
  return fill(draft) as Draft;
}

/** What stands between its quotes. */
function writeBlank(value: string, { kind, texts }: Placeholder): string {
  if (texts === "ours" && kind !== "text") return value;
  if (BLANKS[kind].check(value, "write") !== null)
    throw new ReceiptError("INVALID_DRAFT", `a blank of the kind ${kind} takes no such text`);
  // The other kinds hold nothing that is written in another way.
  return kind === "text" ? writeLetters(value) : value;
}

/** A whole text, from after the quote that it begins with. */
interface Hole {
  readonly mark: string;
  /** What of it stays. */
  readonly follows: string;
}

/** The text between the marks, wherever one stands. */
function cut(text: string, holes: readonly Hole[]) {
  const pieces: { readonly before: string; readonly blank: number }[] = [];
  let from = 0;
  for (;;) {
    const found = holes.map(({ mark, follows }) => text.indexOf(`"${mark}${follows}`, from));
    const at = Math.min(...found.filter((place) => place !== -1));
    if (at === Number.POSITIVE_INFINITY) return { pieces, rest: text.slice(from) };
    const blank = found.indexOf(at);
    pieces.push({ before: text.slice(from, at + 1), blank });
    from = at + 1 + (holes[blank] as Hole).mark.length;
  }
}
