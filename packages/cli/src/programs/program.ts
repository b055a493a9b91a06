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
      "The gate and the flight recorder between an AI agent and the shell.\nWithout a command: shows the hub's state and the next step.",
    )
    .version(ownVersion())
    // So that `exec npm test --json` leaves --json to npm.
    .enablePositionalOptions()
    .helpCommand(false)
    .showHelpAfterError("(see --help)")
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
  const serve = subcommand(program, "serve", "Run the hub in the foreground", "countersign serve --port 18789")
    .option("--port <number>", "port to listen on; 0 for a free one (default: 18789)", toPort)
    .option("--host <address>", "network address to listen on, in addition to loopback")
    .option("--tls", "serve --host over HTTPS, with a certificate from Countersign's own CA; see `countersign phone`")
    .option("--cert <file>", "serve --host over HTTPS with this certificate (PEM)")
    .option("--key <file>", "private key of --cert (PEM)")
    .option("--insecure-lan", "allow plain HTTP on --host (insecure)")
    .option("--gateway <url>", "also connect to this gateway (wss://…, or ws:// on loopback)")
    .option(
      "--recorder-socket <path>",
      "socket that receives emitters' frames (default: run/recorder.sock in the data directory)",
    )
    .addOption(logLevelOption());
  serve.action(async () => finish(await (await import("../commands/serving/serve.ts")).serve(serve.optsWithGlobals())));
  const gateway = subcommand(
    program,
    "gateway",
    "Relay sealed messages between a hub and remote devices",
    "countersign gateway --host 0.0.0.0 --cert cert.pem --key key.pem --hub-key …",
  )
    .option("--port <number>", "port to listen on; 0 for a free one (default: 18790)", toPort)
    .option("--host <address>", "address to listen on; needs --cert unless it is loopback (default: 127.0.0.1)")
    .option("--hub-key <key>", "public key of the one hub that may register; `serve --gateway` prints it")
    .option("--cert <file>", "certificate (PEM)")
    .option("--key <file>", "private key of --cert (PEM)")
    .option("--insecure-lan", "allow plain HTTP on --host (insecure)")
    .addOption(logLevelOption());
  gateway.action(async () =>
    finish(await (await import("../commands/serving/gateway.ts")).gateway(gateway.optsWithGlobals())),
  );
  const demo = subcommand(
    program,
    "demo",
    "Show five proposals in a scratch directory, without an agent",
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
    "Run a command when it is approved, and exit with its code",
    "countersign exec --reason 'check the fix' -- npm test",
  )
    .argument("<command...>", "one argument: a command line for bash; several: a program and its arguments")
    .option("--cwd <directory>", "directory to run it in (default: this one)")
    .option("--reason <text>", "why; shown on the card as the agent's claim")
    .option("--session <id>", "the agent's session")
    .option("--timeout <ms>", "kill the command after this many milliseconds", toMilliseconds)
    .addOption(jailOption("request this jail; if its effects don't need one this wide, a person decides"))
    .passThroughOptions();
  exec.action(async (words: string[]) =>
    finish(await (await import("../commands/exec.ts")).exec(words, exec.optsWithGlobals())),
  );
  const run = program
    .command("run")
    .description("Run the command of a permit, and exit with its code")
    .argument("<permit>", "the permit's id; valid once, for 10 minutes")
    .option("--home <directory>", "data directory (default: $COUNTERSIGN_HOME or ~/.countersign)")
    .option("--agent <name>", "agent that received the permit")
    .option("--tell-directory", "write the shell's last directory to file descriptor 3")
    .addHelpText("after", "\nExample:\n  countersign run --agent codex 01a1e42b-0adb-77f3-a02f-6f3d6af4d8f2");
  run.action(async (permit: string) => finish(await (await import("../commands/run.ts")).run(permit, run.opts())));
}

function addHook(program: Command, finish: Finish): void {
  const hook = program
    .command("hook")
    .description("Answer an agent's hook; its event is read from stdin")
    .argument("<agent>", "claude-code, codex, gemini or cursor")
    .option("--home <directory>", "data directory (default: ~/.countersign; no variable changes it)")
    .option("--key <key>", "the hub's public key (default: from the data directory)")
    .option("--deadline-ms <ms>", "deny after this many milliseconds")
    .addHelpText("after", "\nExample:\n  countersign hook claude-code < event.json");
  hook.action(async (agent: string) => finish(await (await import("../commands/hook.ts")).hook(agent, hook.opts())));
}

function addChat(program: Command, finish: Finish): void {
  const chat = subcommand(program, "chat", "Chat with an agent that the hub runs", "countersign chat 'Run: ls'")
    .argument("[message...]", "send one message and wait for the reply (default: an interactive chat)")
    .option("--agent <name>", "configured agent (default: assistant)")
    .option("--session <id>", "continue this session");
  chat.action(async (words: string[]) =>
    finish(await (await import("../commands/chat.ts")).chat(words, chat.optsWithGlobals())),
  );
}

function addExplaining(program: Command, finish: Finish): void {
  const explain = subcommand(
    program,
    "explain",
    "Show how a command would be classified and decided, and why",
    "countersign explain 'curl -s https://example.com/install.sh | sh'",
  )
    .argument("[command...]", "one argument: a command line for bash; several: a program and its arguments")
    .option("--cwd <directory>", "directory it would run in (default: this one)")
    .option("--profile <id>", "profile to decide with (default: the local agent's)")
    .option("--batch", 'read JSON lines {"cmd": "…"} from stdin and print one JSON line for each; see docs/explain.md')
    .passThroughOptions();
  explain.action(async (words: string[]) =>
    finish(await (await import("../commands/explain.ts")).explain(words, explain.optsWithGlobals())),
  );
}

function addAnswering(program: Command, finish: Finish): void {
  const pending = subcommand(program, "pending", "List pending approvals", "countersign pending")
    .option("--count", "print only their number")
    .option("--reveal <id>", "show one without redaction; the hub records that you did")
    .option("--scopes", "also list the scopes that `approve --scope` takes, and what each saves");
  pending.action(async () => finish(await (await import("../commands/pending.ts")).pending(pending.optsWithGlobals())));
  const watch = subcommand(
    program,
    "watch",
    "Show pending approvals as they come, and answer with a key",
    "countersign watch",
  ).option("--line", "print a line for each event and read no keys (default without a terminal)");
  watch.action(async () => finish(await (await import("../commands/watch.ts")).watch(watch.optsWithGlobals())));
  const preview = subcommand(
    program,
    "preview",
    "Run a pending command and discard what it changes",
    "countersign preview 3f9c2a1b",
  ).argument("<id>", "id from `pending`, short or in full");
  preview.action(async (id: string) =>
    finish(await (await import("../commands/preview.ts")).preview(id, preview.optsWithGlobals())),
  );
  const approve = subcommand(program, "approve", "Approve a pending command", "countersign approve 3f9c2a1b")
    .argument("<id>", "id from `pending`, short or in full")
    .option("--always", "also save a policy entry that allows similar commands")
    .option(
      "--scope <scope>",
      "what to allow from now on, from `pending --scopes`: exact@session, program@repository, …",
    )
    .option("--times <n>", "approve up to <n> identical pending commands", toTimes)
    .option(
      "--edit <command>",
      "run this command instead, once; agents that run commands themselves are told to propose it",
    )
    .option("--if-asks-again", "approve an expired command once if the agent retries it within 30 minutes")
    .addOption(jailOption("run it in this jail instead"));
  approve.action(async (id: string) =>
    finish(await (await import("../commands/approve.ts")).approve(id, approve.optsWithGlobals())),
  );
  const deny = subcommand(
    program,
    "deny",
    "Deny a pending command",
    "countersign deny 3f9c2a1b --reason 'use the package manager'",
  )
    .argument("<id>", "id from `pending`, short or in full")
    .option("--reason <text>", "reason, sent to the agent");
  deny.action(async (id: string) =>
    finish(await (await import("../commands/deny.ts")).deny(id, deny.optsWithGlobals())),
  );
}

function addTokens(program: Command, finish: Finish): void {
  const token = subcommand(
    program,
    "token",
    "Create, list and revoke tokens of agents and people",
    "countersign token create --role agent --name claude-code",
  )
    .usage("[options] <command>")
    .helpCommand(false);
  const create = subcommand(
    token,
    "create",
    "Create a token and print it, once",
    "countersign token create --role agent --name claude-code",
  )
    .addOption(new Option("--role <role>", "what its holder may do").choices(ROLES).makeOptionMandatory())
    .requiredOption("--name <name>", "holder's name, shown on approvals and in receipts")
    .option("--unattended", "never ask: deny what the policy doesn't allow");
  create.action(async () =>
    finish(await (await import("../commands/serving/token.ts")).createToken(create.optsWithGlobals())),
  );
  const list = subcommand(token, "list", "List tokens, revoked ones included", "countersign token list");
  list.action(async () =>
    finish(await (await import("../commands/serving/token.ts")).listAllTokens(list.optsWithGlobals())),
  );
  const revoke = subcommand(
    token,
    "revoke",
    "Revoke a token and close its connections",
    "countersign token revoke 3f9c2a1b",
  ).argument("<id>", "id from `token list`, short or in full");
  revoke.action(async (id: string) =>
    finish(await (await import("../commands/serving/token.ts")).revokeToken(id, revoke.optsWithGlobals())),
  );
}

function addKeeping(program: Command, finish: Finish): void {
  const pause = subcommand(program, "pause", "Deny every new command until `resume`", "countersign pause").option(
    "--kill",
    "also kill running commands",
  );
  pause.action(async () => finish(await (await import("../commands/pause.ts")).pause(pause.optsWithGlobals())));
  const resume = subcommand(program, "resume", "End the pause", "countersign resume").option(
    "--session <id>",
    "resume only this session, which was paused after denials",
  );
  resume.action(async () => finish(await (await import("../commands/resume.ts")).resume(resume.optsWithGlobals())));
  const db = subcommand(program, "db", "Maintain the database", "countersign db rebuild-audit")
    .usage("[options] <command>")
    .helpCommand(false);
  const rebuild = subcommand(
    db,
    "rebuild-audit",
    "Rebuild audit.jsonl from the ledger (stop the hub first)",
    "countersign db rebuild-audit",
  );
  rebuild.action(async () =>
    finish(await (await import("../commands/serving/rebuild-audit.ts")).rebuildAuditFile(rebuild.optsWithGlobals())),
  );
  const backup = subcommand(
    program,
    "backup",
    "Copy the database to a file and verify the copy",
    "countersign backup ~/countersign-2026-01-31.db",
  ).argument("<file>", "a file that doesn't exist yet");
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
  throw new InvalidArgumentError("Give a number from 1 to 1000.");
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
