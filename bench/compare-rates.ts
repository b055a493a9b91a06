import { median } from "./rounds.ts";

const ROUNDS = 7;

interface Comparing {
  /** How many receipts each work is done with. */
  readonly count: number;
  /** By name. */
  readonly works: Readonly<Record<string, () => unknown>>;
}

/** Works in turns, so that what else the machine does hits all of them alike. Returns how the rate of one relates to another's. */
export async function compareRates({ count, works }: Comparing): Promise<(one: string, other: string) => number> {
  const rates = new Map(Object.keys(works).map((name) => [name, [] as number[]]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, work] of Object.entries(works)) {
      const started = performance.now();
      await work();
      rates.get(name)?.push((count / (performance.now() - started)) * 1_000);
    }
  }
  console.log(`\n${count} receipts, median of ${ROUNDS} rounds\n`);
  for (const [name, each] of rates)
    console.log(`${name.padEnd(24)} ${Math.round(median(each)).toString().padStart(7)}/s`);
  console.log();
  return (one, other) =>
    median((rates.get(one) ?? []).map((rate, round) => rate / (rates.get(other)?.[round] ?? Number.NaN)));
}
