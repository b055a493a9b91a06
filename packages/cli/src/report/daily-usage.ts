import { visible } from "@countersign/protocol/text";
import { type ActivityGroup, openStoreToRead, StoreError } from "@countersign/store";
import type { Verdict } from "../receipts/index.ts";
import { quoted } from "../terminal/index.ts";
import type { Section } from "./section.ts";

/** What each agent did where, by the store's word: receipts don't say where. Empty for what is no store, or one of before it counted that. */
export async function dailyUsage({ source }: Verdict, fromMs: number): Promise<readonly ActivityGroup[]> {
  const store = source.kind === "countersign" ? await openStoreToRead(source.path) : undefined;
  if (store === undefined) return [];
  try {
    return (await store.activity(fromMs)).groups;
  } catch (cause) {
    // A hub that is newer brings the store up to date when it next starts; the rest of the report doesn't wait for that.
    if (cause instanceof StoreError && cause.code === "FAILED") return [];
    throw cause;
  } finally {
    await store.close();
  }
}

export function placeSection(groups: readonly ActivityGroup[]): Section {
  const rows = groups.map(({ agent, directory, ran, failed, asked, denied, hosts, outside }) => [
    quoted(agent),
    visible(directory),
    ...[ran, failed, asked, denied, hosts.count, outside.count].map(String),
  ]);
  const head = ["agent", "where", "ran", "failed", "asked", "denied", "hosts", "outside files"];
  return { title: "Places", blocks: [{ kind: "table", head, rows, numbers: [2, 3, 4, 5, 6, 7] }] };
}
