import type { LayerBlock } from "@countersign/policy";
import type { Json } from "@countersign/receipts";
import type { Store, Write } from "@countersign/store";
import * as z from "zod";

const PREFIX = "repository.";
const SUFFIX = ".trusted";
const MAX_TOLD = 200;

/** Who trusted which content of a repository's file. The block is kept to tell what a change would newly allow. */
const trustSchema = z.object({
  sha256: z.string(),
  by: z.string(),
  atMs: z.number(),
  block: z.custom<LayerBlock>((value) => typeof value === "object" && value !== null),
});
export type Trust = z.infer<typeof trustSchema>;

/** Undefined where nobody trusted it, or somebody took the trust back. */
export async function trustIn(directory: string, store: Pick<Store, "setting">): Promise<Trust | undefined> {
  const reading = trustSchema.safeParse(await store.setting(keyOf(directory)));
  return reading.success ? reading.data : undefined;
}

/** Directories that somebody trusted at some time; a few. */
export async function everTrusted(store: Pick<Store, "settingKeys">): Promise<string[]> {
  const keys = await store.settingKeys({ prefix: PREFIX, limit: MAX_TOLD });
  return keys.filter((key) => key.endsWith(SUFFIX)).map((key) => key.slice(PREFIX.length, -SUFFIX.length));
}

/** `trust` null takes it back. */
export function trustWrite(directory: string, trust: Trust | null): Write {
  return { op: "put-setting", key: keyOf(directory), value: trust as unknown as Json };
}

function keyOf(directory: string): string {
  return `${PREFIX}${directory}${SUFFIX}`;
}
