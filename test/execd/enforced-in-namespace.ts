import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { openCa } from "@countersign/sandbox";
import { BIN, Running } from "../../packages/cli/test/countersign.ts";
import { RelayPlace } from "../../packages/cli/test/relay-fixture.ts";
import { as, PROXY_USER } from "./in-namespace.ts";

/** Everything that a gated sandbox needs, on a network of its own: with the rule that keeps others from execd, and without. One line of JSON. */
const EXECD_USER = 54_361;
/** The sources may be root's alone. */
const READS = "+dac_read_search";
const PORT = 44_772;

const ends: (() => unknown)[] = [];
const running: Running[] = [];
try {
  process.stdout.write(JSON.stringify(await tell()));
} finally {
  await Promise.all(running.map((one) => one.stop("SIGKILL")));
  for (const end of ends) await end();
}

async function tell(): Promise<object> {
  execFileSync("ip", ["link", "set", "lo", "up"]);
  const at = await RelayPlace.make({ after: (end: () => unknown) => void ends.push(end) } as unknown as TestContext);
  const { place } = at;
  await place.serve();
  await at.relay();
  const file = (name: string, text: string, uid: number) => {
    const path = join(place.workspace, name);
    writeFileSync(path, text, { mode: 0o600 });
    chownSync(path, uid, uid);
    return path;
  };
  const start = (uid: number, rights: string, args: readonly string[]) => {
    const [program = "", ...rest] = as(uid, rights, [process.execPath, BIN, ...args]);
    const one = new Running(spawn(program, rest, { cwd: "/", env: { PATH: process.env.PATH ?? "", HOME: "/" } }));
    running.push(one);
    return one;
  };
  const serving = ["execd", "serve", "--no-jail", "--json", "--listen", `127.0.0.1:${PORT}`];
  const execd = start(EXECD_USER, READS, [...serving, "--token-file", file("execd.token", "e".repeat(32), EXECD_USER)]);
  await execd.firstLine();
  const made = await place.run("token", "create", "--role", "agent", "--name", "box", "--json");
  const options = [
    ...["--gate", (await place.hub()).url, "--gate-token-file"],
    file("gate.token", (JSON.parse(made.stdout) as { token: string }).token, PROXY_USER),
    ...["--execd-token-file", file("own.token", "e".repeat(32), PROXY_USER)],
    ...["--agent-token-file", file("agent.token", "a".repeat(32), PROXY_USER)],
  ];
  const told: Record<string, unknown> = {};
  for (const [id, rule] of [
    ["box-1", `tcp dport ${PORT} meta skuid != ${PROXY_USER} reject with tcp reset`],
    ["box-2", ""],
  ] as const) {
    const chain = `chain out {\ntype filter hook output priority 0;\n${rule}\n}`;
    execFileSync("nft", ["-f", "-"], { input: `flush ruleset\ntable inet gate {\n${chain}\n}\n` });
    const bundle = join(place.workspace, `${id}.pem`);
    await (await openCa(at.ca)).issueForSandbox(id, { out: bundle, validMs: 600_000, renew: false }, Date.now());
    chownSync(bundle, PROXY_USER, PROXY_USER);
    const home = join(place.workspace, id);
    mkdirSync(home, { mode: 0o700 });
    chownSync(home, PROXY_USER, PROXY_USER);
    const proxy = start(PROXY_USER, `${READS},+setuid,+setgid`, [
      ...["execd", "proxy", "--json", "--listen", "127.0.0.1:0", "--execd", `http://127.0.0.1:${PORT}`],
      ...["--relay", at.url, "--bundle", bundle, "--home", home, "--sandbox-id", id, ...options],
    ]);
    const { url, enforcement: said } = JSON.parse(await proxy.firstLine()) as { url: string; enforcement: string };
    const call = (command: string) =>
      fetch(`${url}/command`, {
        ...{ method: "POST", headers: { "X-EXECD-ACCESS-TOKEN": "a".repeat(32) } },
        body: JSON.stringify({ command }),
      }).then((answered) => answered.text());
    assert.match(await call("echo hi"), /"hi"/);
    const asked = call("touch /nowhere/x");
    await place.waiting(1);
    const [card] = JSON.parse((await place.run("pending", "--json")).stdout) as [
      { approvalId: string; enforcement: string },
    ];
    await place.run("deny", card.approvalId);
    await asked;
    // Why it is advisory, for who reads a failure of this.
    process.stderr.write((await proxy.stop("SIGTERM")).stderr);
    told[id] = { said, onReceipts: await receiptsOf(id), onCards: card.enforcement };
  }
  told.verified = (await place.run("receipts", "verify")).code;
  return told;

  /** What the signed receipts of a sandbox say, each once. */
  async function receiptsOf(id: string): Promise<string[]> {
    const { stdout } = await place.run("receipts", "export", "--format", "jsonl");
    const runtimes = stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => (JSON.parse(line) as Receipt).issuer.runtime)
      .filter((runtime) => runtime?.binding?.sandbox_id === id);
    return [...new Set(runtimes.map((runtime) => runtime?.enforcement ?? "nothing"))];
  }
}

interface Receipt {
  readonly issuer: {
    readonly runtime?: { readonly enforcement?: string; readonly binding?: { readonly sandbox_id?: string } };
  };
}
