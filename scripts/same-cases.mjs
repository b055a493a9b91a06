// Loaded where tests run: properties are tried on the same cases in every run, so that a change is judged by what it does and not by the
// draw. COUNTERSIGN_PROOF_SEED asks for others.
import fc from "fast-check";

const given = Number(process.env.COUNTERSIGN_PROOF_SEED);
if (!Number.isSafeInteger(given) || given <= 0) throw new Error("COUNTERSIGN_PROOF_SEED isn't a whole number above 0.");
fc.configureGlobal({ seed: given });
