import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type ConsistencyProof, type InclusionProof, type LedgerProof, largestOf } from "@countersign/receipts";
import { openStoreToRead, proveGrowth, proveReceipt, type StoreReader } from "@countersign/store";
import { CliError, EXIT, homeDirOf, homeFiles } from "../../base/index.ts";
import { asCliError } from "../../hub-errors/index.ts";
import { printJson, printLines } from "../../terminal/index.ts";
import { type RecordOptions, unreadable } from "../sources/index.ts";
import { proofLines } from "./show-proof.ts";
import { readWitness } from "./witness.ts";

export interface ProveOptions extends RecordOptions {
  /** Sizes of trees, or files with a checkpoint. */
  readonly checkpoint?: string;
  readonly from?: string;
  readonly to?: string;
}

/** A proof that stands by itself, from the store: no hub is asked. */
export async function prove(id: string | undefined, options: ProveOptions): Promise<number> {
  const path = resolve(options.file ?? homeFiles(homeDirOf(options)).database);
  const wanted = readWanted(id, options);
  try {
    const store = await openStoreToRead(path);
    if (store === undefined) throw unreadable(`${path} has no ledger of Countersign's.`);
    try {
      const proof = await proveFrom(store, wanted);
      if (options.json) printJson(proof);
      else
        printLines([
          ...proofLines(proof),
          "To have it checked elsewhere: --json, and there receipts verify --proof FILE",
        ]);
      return EXIT.ok;
    } finally {
      await store.close();
    }
  } catch (cause) {
    throw asCliError(cause);
  }
}

/** A tree, by its size, and where somebody brought a checkpoint of it, also by its root. */
interface Tree {
  readonly size: number;
  readonly given?: { readonly note: string; readonly root: Uint8Array };
}

type Wanted =
  | { readonly kind: "inclusion"; readonly id: string; readonly tree: Tree | undefined }
  | { readonly kind: "consistency"; readonly from: Tree; readonly to: Tree | undefined };

function readWanted(id: string | undefined, { checkpoint, from, to }: ProveOptions): Wanted {
  const isGrowth = from !== undefined;
  if ((id === undefined) !== isGrowth || (to !== undefined && !isGrowth) || (isGrowth && checkpoint !== undefined)) {
    const message = "Give a receipt (and --checkpoint, if not the newest), or --from and --to.";
    throw new CliError("FAILED", message, { exitCode: EXIT.usage });
  }
  const tree = (name: string, text: string | undefined) => (text === undefined ? undefined : readTree(name, text));
  if (isGrowth) return { kind: "consistency", from: readTree("--from", from), to: tree("--to", to) };
  return { kind: "inclusion", id: id as string, tree: tree("--checkpoint", checkpoint) };
}

function readTree(name: string, text: string): Tree {
  if (/^[1-9]\d{0,14}$/.test(text)) return { size: Number(text) };
  if (!existsSync(text)) {
    const message = `${name} ${JSON.stringify(text.slice(0, 80))} is neither a number of receipts nor a file with a checkpoint.`;
    throw new CliError("FAILED", message, { exitCode: EXIT.usage });
  }
  const newest = largestOf(readWitness(resolve(text)));
  if (newest === undefined) throw unreadable(`${text} holds no checkpoint.`);
  const { note, claim } = newest;
  return { size: claim.size, given: { note, root: claim.root } };
}

async function proveFrom(store: StoreReader, wanted: Wanted): Promise<LedgerProof> {
  if (wanted.kind === "consistency") {
    for (const tree of [wanted.from, wanted.to]) await compare(store, tree);
    const proof = await proveGrowth(store, { from: wanted.from.size, to: wanted.to?.size });
    return withNotes(proof, wanted.from, wanted.to);
  }
  await compare(store, wanted.tree);
  const { id, tree } = wanted;
  if (tree?.given === undefined) return await proveReceipt(store, id, tree?.size);
  const proof: InclusionProof = await proveReceipt(store, id, tree.size);
  return { ...proof, checkpoint: tree.given.note };
}

/** What somebody brought is what they remember: what isn't this ledger's is worth more than any proof. */
async function compare(store: StoreReader, tree: Tree | undefined): Promise<void> {
  if (tree?.given === undefined) return;
  const found = await store.treeHead(tree.size);
  if (found === null)
    throw broken("TRUNCATED", `The ledger has fewer than the ${tree.size} receipts of that checkpoint.`);
  if (Buffer.from(found.root).equals(tree.given.root)) return;
  throw broken("FORKED", `The first ${tree.size} receipts are others than those of that checkpoint.`);
}

function broken(code: string, sentence: string): CliError {
  return new CliError({ server: code }, `${code}: ${sentence} See: countersign receipts verify --witness`);
}

function withNotes(proof: ConsistencyProof, from: Tree, to: Tree | undefined): ConsistencyProof {
  const noted = (tree: ConsistencyProof["from"], given: Tree | undefined) =>
    given?.given === undefined ? tree : { ...tree, note: given.given.note };
  return { ...proof, from: noted(proof.from, from), to: noted(proof.to, to) };
}
