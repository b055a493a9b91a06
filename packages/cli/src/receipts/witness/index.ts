export { ownWitness } from "./own-witness.ts";
export { Responses } from "./responses.ts";
export { verifyProof } from "./verify-proof.ts";
export { readWitness } from "./witness.ts";
