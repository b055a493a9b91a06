import { readFileSync } from "node:fs";
import { BUILT_JAILS, ROLES } from "@countersign/vocabulary";
import { Command, InvalidArgumentError, Option } from "commander";
import { EXIT_CODES, type Finish, logLevelOption, subcommand, withGlobalOptions } from "../base/index.ts";
import { addAgents } from "./program-agents.ts";
import { addExecd } from "./program-execd.ts";
import { addMcp } from "./program-mcp.ts";
import { addPairing } from "./program-pair.ts";
import { addPolicy } from "./program-policy.ts";
import { addReceipts } from "./program-receipts.ts";
import { addRecorder } from "./program-recorder.ts";
import { addReports } from "./program-report.ts";

/**
 * The command line as a tree. Nothing but commander is loaded here: each action imports its own command, so that
 * `--help`, and `exec` in an agent's loop, start fast.
 */
export function buildProgram(finish: Finish): Command {
  const program = new Command("countersign")
    .description(
      "The gate and the flight recorder between an AI agent and the shell.\nAlone, it tells the state and the next step.",
    )
    .version(ownVersion())
    // So that `exec npm test --json` leaves --json to npm.
    .enablePositionalOptions()
    .helpCommand(false)
    .showHelpAfterError("(--help tells more)")
    .showSuggestionAfterError()
    .exitOverride();
  withGlobalOptions(program);
  addServing(program, finish);
  addPairing(program, finish);
  addAgents(program, finish);
  addProposing(program, finish);
  addHook(program, finish);
  addChat(program, finish);
  addMcp(program, finish);
  addExplaining(program, finish);
  addAnswering(program, finish);
  addPolicy(program, finish);
  addTokens(program, finish);
  addReceipts(program, finish);
  addRecorder(program, finish);
  addExecd(program, finish);
  addReports(program, finish);
  addKeeping(program, finish);
  return program.addHelpText("after", `\n${epilogue()}`);
}

function addServing(program: Command, finish: Finish): void {
  const serve = subcommand(program, "serve", "Start the hub and stay with it", "countersign serve --port 18789")
    .option("--port <number>", "port to listen on; 0 takes a free one", toPort)
    .option("--host <address>", "address to listen on; one of a network is listened on beside this machine's own")
    .option("--tls", "there with a certificate from a CA of our own; `countersign phone` tells how a phone trusts it")
    .option("--cert <file>", "there with this certificate, PEM")
    .option("--key <file>", "its private key, PEM")
    .option("--insecure-lan", "there without a certificate all the same")
    .option("--gateway <url>", "be reached through this gateway too (wss://…, or ws:// on this machine)")
    .option("--recorder-socket <path>", "where emitters send their frames (default: run/recorder.sock in the home)")
    .addOption(logLevelOption());
  serve.action(async () => finish(await (await import("../commands/serving/serve.ts")).serve(serve.optsWithGlobals())));
  const gateway = subcommand(
    program,
    "gateway",
    "Relay between a hub and devices elsewhere; it can't read or decide anything",
    "countersign gateway --host 0.0.0.0 --cert cert.pem --key key.pem --hub-key …",
  )
    .option("--port <number>", "port to listen on; 0 takes a free one", toPort)
    .option("--host <address>", "address to listen on; others than loopback need a certificate")
    .option("--hub-key <key>", "the one hub that may register, as `serve --gateway` prints it")
    .option("--cert <file>", "certificate, PEM")
    .option("--key <file>", "its private key, PEM")
    .option("--insecure-lan", "listen on other addresses without a certificate all the same")
    .addOption(logLevelOption());
  gateway.action(async () =>
    finish(await (await import("../commands/serving/gateway.ts")).gateway(gateway.optsWithGlobals())),
  );
  const demo = subcommand(
    program,
    "demo",
    "Watch five proposals in a scratch directory, without an agent",
    "countersign demo",
  );
  demo.action(async () => finish(await (await import("../commands/serving/demo.ts")).demo(demo.optsWithGlobals())));
}

/** Spelled out, since help must not wait for the schemas to load. */
function jailOption(what: string): Option {
  return new Option("--jail <jail>", what).choices(BUILT_JAILS);
}

function addProposing(program: Command, finish: Finish): void {
  const exec = subcommand(
    program,
    "exec",
    "Propose a command, wait, and end as it ends",
    "countersign exec --reason 'check the fix' -- npm test",
  )
    .argument("<command...>", "one argument is a command line for bash; several are taken as words")
    .option("--cwd <directory>", "where to run it (default: here)")
    .option("--reason <text>", "why, in the agent's words; shown as its claim")
    .option("--session <id>", "the agent's conversation that it belongs to")
    .option("--timeout <ms>", "end the command after so many milliseconds", toMilliseconds)
    .addOption(jailOption("ask for this jail; a wider one than its effects call for is always a person's to give"))
    .passThroughOptions();
  exec.action(async (words: string[]) =>
    finish(await (await import("../commands/exec.ts")).exec(words, exec.optsWithGlobals())),
  );
  const run = program
    .command("run")
    .description("Start what a permit permits, and end as it ends; an agent's rewritten command does the same")
    .argument("<permit>", "as the hub gave it, once, within 10 minutes")
    .option("--home <directory>", "where Countersign keeps its things (default: $COUNTERSIGN_HOME or ~/.countersign)")
    .option("--agent <name>", "the agent that it was given to")
    .option("--tell-directory", "tell on descriptor 3 where the command's shell stood when it left")
    .addHelpText("after", "\nExample:\n  countersign run --agent codex 01a1e42b-0adb-77f3-a02f-6f3d6af4d8f2");
  run.action(async (permit: string) => finish(await (await import("../commands/run.ts")).run(permit, run.opts())));
}

function addHook(program: Command, finish: Finish): void {
  const hook = program
    .command("hook")
    .description("Answer an agent's hook, whose event is on stdin, as the file that `install` sets up does")
    .argument("<agent>", "claude-code, codex, gemini or cursor")
    .option(
      "--home <directory>",
      "where Countersign keeps its things (default: ~/.countersign; no variable changes it)",
    )
    .option("--key <key>", "the hub's public key (default: that of the home)")
    .option("--deadline-ms <ms>", "deny after so many milliseconds")
    .addHelpText("after", "\nExample:\n  countersign hook claude-code < event.json");
  hook.action(async (agent: string) => finish(await (await import("../commands/hook.ts")).hook(agent, hook.opts())));
}

function addChat(program: Command, finish: Finish): void {
  const chat = subcommand(
    program,
    "chat",
    "Talk to an agent that the hub runs, and answer what it asks",
    "countersign chat 'Run: ls'",
  )
    .argument("[message...]", "send this, wait for the answer, and end; without it, in a terminal, a conversation")
    .option("--agent <name>", "which of the configured agents (default: assistant)")
    .option("--session <id>", "go on with this session");
  chat.action(async (words: string[]) =>
    finish(await (await import("../commands/chat.ts")).chat(words, chat.optsWithGlobals())),
  );
}

function addExplaining(program: Command, finish: Finish): void {
  const explain = subcommand(
    program,
    "explain",
    "Tell what would become of a command, and why; needs no hub and runs nothing",
    "countersign explain 'curl -s https://example.com/install.sh | sh'",
  )
    .argument("[command...]", "one argument is a command line for bash; several are taken as words")
    .option("--cwd <directory>", "where it would run (default: here)")
    .option("--profile <id>", "the policy to go by (default: the local agent's)")
    .option("--batch", 'JSON lines {"cmd": "…"} on stdin, one line of JSON each; default profile, a jail assumed')
    .passThroughOptions();
  explain.action(async (words: string[]) =>
    finish(await (await import("../commands/explain.ts")).explain(words, explain.optsWithGlobals())),
  );
}

function addAnswering(program: Command, finish: Finish): void {
  const pending = subcommand(program, "pending", "List what waits for an answer", "countersign pending")
    .option("--count", "only how many")
    .option("--reveal <id>", "only this one, with nothing hidden; the hub records that you looked")
    .option("--scopes", "also the ways to allow each more than once, and what they would save");
  pending.action(async () => finish(await (await import("../commands/pending.ts")).pending(pending.optsWithGlobals())));
  const watch = subcommand(
    program,
    "watch",
    "The inbox in this terminal: see what waits as it comes, allow, change or deny it with a key",
    "countersign watch",
  ).option("--line", "one plain line for each event, and no keys (also without a terminal)");
  watch.action(async () => finish(await (await import("../commands/watch.ts")).watch(watch.optsWithGlobals())));
  const preview = subcommand(
    program,
    "preview",
    "Try out what waits, where nothing is kept: what it would change, and what it prints",
    "countersign preview 3f9c2a1b",
  ).argument("<id>", "as `pending` shows it, or in full");
  preview.action(async (id: string) =>
    finish(await (await import("../commands/preview.ts")).preview(id, preview.optsWithGlobals())),
  );
  const approve = subcommand(program, "approve", "Allow what waits, once", "countersign approve 3f9c2a1b")
    .argument("<id>", "as `pending` shows it, or in full")
    .option("--always", "also save it to the policy, so that its like isn't asked about again")
    .option("--scope <scope>", "how far it goes, as `pending --scopes` shows it: exact@session, program@repository, …")
    .option("--times <n>", "so many of the same question that wait, each once", toTimes)
    .option("--edit <command>", "run this instead, once; an agent that runs commands by itself is told to propose it")
    .option("--if-asks-again", "one that has expired: allow it once if the same is asked again within 30 minutes")
    .addOption(jailOption("run it in this jail instead of the card's"));
  approve.action(async (id: string) =>
    finish(await (await import("../commands/approve.ts")).approve(id, approve.optsWithGlobals())),
  );
  const deny = subcommand(
    program,
    "deny",
    "Deny what waits",
    "countersign deny 3f9c2a1b --reason 'use the package manager'",
  )
    .argument("<id>", "as `pending` shows it, or in full")
    .option("--reason <text>", "what the agent is told");
  deny.action(async (id: string) =>
    finish(await (await import("../commands/deny.ts")).deny(id, deny.optsWithGlobals())),
  );
}

function addTokens(program: Command, finish: Finish): void {
  const token = subcommand(
    program,
    "token",
    "Make, list and revoke the tokens of agents and people",
    "countersign token create --role agent --name claude-code",
  )
    .usage("[options] <command>")
    .helpCommand(false);
  const create = subcommand(
    token,
    "create",
    "Make a token; it is shown this once",
    "countersign token create --role agent --name claude-code",
  )
    .addOption(new Option("--role <role>", "what it may do").choices(ROLES).makeOptionMandatory())
    .requiredOption("--name <name>", "whose it is; stands on cards and in records")
    .option("--unattended", "nobody is asked: what the policy doesn't allow is denied");
  create.action(async () =>
    finish(await (await import("../commands/serving/token.ts")).createToken(create.optsWithGlobals())),
  );
  const list = subcommand(token, "list", "List the tokens, revoked ones too", "countersign token list");
  list.action(async () =>
    finish(await (await import("../commands/serving/token.ts")).listAllTokens(list.optsWithGlobals())),
  );
  const revoke = subcommand(
    token,
    "revoke",
    "Revoke a token for ever, and cut off who uses it",
    "countersign token revoke 3f9c2a1b",
  ).argument("<id>", "as `token list` shows it, or in full");
  revoke.action(async (id: string) =>
    finish(await (await import("../commands/serving/token.ts")).revokeToken(id, revoke.optsWithGlobals())),
  );
}

function addKeeping(program: Command, finish: Finish): void {
  const pause = subcommand(program, "pause", "Deny everything new until resumed", "countersign pause").option(
    "--kill",
    "also end what runs",
  );
  pause.action(async () => finish(await (await import("../commands/pause.ts")).pause(pause.optsWithGlobals())));
  const resume = subcommand(program, "resume", "End the pause", "countersign resume").option(
    "--session <id>",
    "only let this session go on, which its denials had paused",
  );
  resume.action(async () => finish(await (await import("../commands/resume.ts")).resume(resume.optsWithGlobals())));
  const db = subcommand(program, "db", "Look after what is stored", "countersign db rebuild-audit")
    .usage("[options] <command>")
    .helpCommand(false);
  const rebuild = subcommand(
    db,
    "rebuild-audit",
    "Write audit.jsonl anew from the ledger; the hub must not run",
    "countersign db rebuild-audit",
  );
  rebuild.action(async () =>
    finish(await (await import("../commands/serving/rebuild-audit.ts")).rebuildAuditFile(rebuild.optsWithGlobals())),
  );
  const backup = subcommand(
    program,
    "backup",
    "Copy the store to a file, running hub or not, and verify the copy",
    "countersign backup ~/countersign-2026-01-31.db",
  ).argument("<file>", "must not exist yet");
  backup.action(async (file: string) =>
    finish(await (await import("../commands/serving/backup.ts")).backup(file, backup.optsWithGlobals())),
  );
}

function epilogue(): string {
  const codes = EXIT_CODES.map(([code, meaning]) => `  ${code.padEnd(6)} ${meaning}`);
  return ["Exit codes:", ...codes, "", "Example:", "  countersign exec -- npm test"].join("\n");
}

function toPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("A port is a number from 0 to 65535.");
}

function toTimes(value: string): number {
  const times = Number(value);
  if (/^\d+$/.test(value) && times >= 1 && times <= 1_000) return times;
  throw new InvalidArgumentError("It is a number from 1 to 1000.");
}

function toMilliseconds(text: string): number {
  const ms = Number(text);
  if (/^\d{1,8}$/.test(text) && ms >= 1 && ms <= 86_400_000) return ms;
  throw new InvalidArgumentError("A timeout is a number of milliseconds from 1 to 86400000 (a day).");
}

function ownVersion(): string {
  const file = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(file) as { version: string }).version;
}
