import type { RecordVerdict } from "@countersign/receipts";
import type { SourceKind } from "./sources/index.ts";

/** What `receipts verify --json` prints. */
export interface Verdict extends RecordVerdict {
  readonly source: { readonly kind: SourceKind; readonly path: string; readonly what: string };
}
