export { Copyable } from "./copyable.tsx";
export { Download } from "./download.tsx";
export { counted, many, shortHash, shortKey } from "./format.ts";
export { lastPage, Pager } from "./pager.tsx";
export { ProofView, useProof } from "./proof-view.tsx";
