import { spawn } from "node:child_process";
import * as z from "zod";
import { EgressError } from "../../errors/index.ts";
import { BRIDGED, TABLE } from "./ruleset.ts";

const LONGEST_OUTPUT = 64 * 1024 * 1024;
const NFT_MS = 30_000;

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** All of it or nothing, in one step. Throws EgressError. */
export async function applyRules(rules: string): Promise<void> {
  const { code, stderr } = await runTool("nft", ["-f", "-"], rules);
  if (code !== 0) throw refusal(stderr);
}

/** What our table counts, by name; undefined: there's no table. */
export async function readCounters(): Promise<ReadonlyMap<string, number> | undefined> {
  const { code, stdout, stderr } = await runTool("nft", ["-j", "list", "counters", "table", ...TABLE.split(" ")]);
  if (code !== 0 && /No such file or directory/.test(stderr)) return undefined;
  if (code !== 0) throw refusal(stderr);
  const { nftables } = counters.parse(JSON.parse(stdout));
  return new Map(nftables.flatMap(({ counter }) => (counter ? [[counter.name, counter.packets] as const] : [])));
}

/** Names of what our table holds; undefined: there's no table. */
export async function readTable(): Promise<TableContent | undefined> {
  const { code, stdout, stderr } = await runTool("nft", ["-j", "-t", "list", "table", ...TABLE.split(" ")]);
  if (code !== 0 && /No such file or directory/.test(stderr)) return undefined;
  if (code !== 0) throw refusal(stderr);
  const { nftables } = content.parse(JSON.parse(stdout));
  const names = (kind: "chain" | "set" | "counter") => nftables.flatMap((each) => each[kind]?.name ?? []);
  return { chains: names("chain"), sets: names("set"), counters: names("counter") };
}

export interface TableContent {
  readonly chains: readonly string[];
  readonly sets: readonly string[];
  readonly counters: readonly string[];
}

/** Whether there was one. */
export async function deleteTable(): Promise<boolean> {
  const wasThere = (await readTable()) !== undefined;
  await applyRules([TABLE, BRIDGED].map((table) => `add table ${table}\ndelete table ${table}\n`).join(""));
  return wasThere;
}

const counters = z.object({
  nftables: z.array(z.object({ counter: z.object({ name: z.string(), packets: z.int().min(0) }).optional() })),
});

const named = z.object({ name: z.string() }).optional();
const content = z.object({ nftables: z.array(z.object({ chain: named, set: named, counter: named })) });

function refusal(stderr: string): EgressError {
  const code = /Operation not permitted/.test(stderr) ? "NOT_PERMITTED" : "RULES_REFUSED";
  return new EgressError(code, `nft: ${stderr.trim().split("\n").slice(0, 3).join(" ").slice(0, 500)}`);
}

/** Throws EgressError where it isn't there. What it says is bounded, and so is its time. */
export function runTool(tool: string, args: readonly string[], input = ""): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const path = `${process.env.PATH ?? ""}:/usr/sbin:/sbin`;
    const child = spawn(tool, args, { env: { PATH: path, LC_ALL: "C" }, timeout: NFT_MS, killSignal: "SIGKILL" });
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (text: string) => {
        if (said[name].length + text.length > LONGEST_OUTPUT) child.kill("SIGKILL");
        else said[name] += text;
      });
    child.on("error", (cause) =>
      reject(new EgressError("NO_NFT", `${tool} can't be run (apt-get install nftables iproute2)`, { cause })),
    );
    child.on("close", (code) => resolve({ code, ...said }));
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}
