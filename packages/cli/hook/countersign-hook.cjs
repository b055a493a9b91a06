"use strict";
// What an agent calls before it uses a tool. Plain CommonJS that any Node from 18 on parses, with `fs` and `net` alone until
// the hub has the question: all that it adds to an agent's call is the time that Node takes to start.
//
// It decides nothing. It asks the hub over its socket, checks that the hub's key signed the answer to this question, and
// hands it on. Whatever goes wrong, it denies in the agent's own words, and before the agent's patience ends: agents run the
// command when a hook crashes or is late. No environment variable changes anything here: a repository's settings can set
// those. `countersign install` writes the arguments:
//
//   node countersign-hook.cjs <agent> --home <directory> --key <the hub's public key> --deadline-ms <milliseconds>

const fs = require("node:fs");
const net = require("node:net");

const HOOK_VERSION = 1;
/** A question is no longer than this; the hub has limits of its own below it. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;
/** An answer is some sentences and a command. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** Most events, and most answers, come in one. */
const CHUNK_BYTES = 64 * 1024;
const DEFAULT_DEADLINE_MS = 50_000;
const MAX_DEADLINE_MS = 99_999_999;
/** 32 bytes in base64url. */
const KEY_LENGTH = 43;
const AGENTS = ["claude-code", "codex", "gemini", "cursor", "opencode"];

/** The hub didn't decide, for a reason that the agent is told. */
class Undecided extends Error {}

/** Reads the event from `stdin`, asks, writes the answer and tells the exit code. Never rejects. */
async function runHook(args) {
  const told = { agent: args[0], event: undefined };
  try {
    const settings = readArguments(args);
    const answer = await beforeDeadline(askHub(settings, told), settings.deadlineMs);
    return write(answer);
  } catch (cause) {
    return write(refusal(told.agent, told.event, sentenceOf(cause)));
  }
}

function readArguments([agent, ...rest]) {
  if (!AGENTS.includes(agent)) throw new Undecided(`there's no agent ${JSON.stringify(agent)}`);
  const given = { "--home": undefined, "--key": undefined, "--deadline-ms": String(DEFAULT_DEADLINE_MS) };
  for (let index = 0; index < rest.length; index += 2) {
    if (!Object.keys(given).includes(rest[index]))
      throw new Undecided(`the hook's argument ${rest[index]} isn't known`);
    given[rest[index]] = rest[index + 1];
  }
  const { "--home": home, "--key": key, "--deadline-ms": deadline } = given;
  if (home === undefined || !home.startsWith("/")) throw new Undecided("the hook wasn't given Countersign's home");
  // What isn't one in spite of its length is refused by `crypto`.
  if (key?.length !== KEY_LENGTH) throw new Undecided("the hook wasn't given the hub's key");
  const deadlineMs = Number(deadline);
  if (!(deadlineMs >= 1 && deadlineMs <= MAX_DEADLINE_MS)) throw new Undecided("the hook wasn't given a deadline");
  return { agent, home, key, deadlineMs };
}

/** Counted from the start of the process, as the agent counts. */
function beforeDeadline(answer, deadlineMs) {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Undecided(`the hub gave no answer within ${deadlineMs} ms`));
    setTimeout(late, Math.max(0, deadlineMs - process.uptime() * 1000));
    answer.then(resolve, reject);
  });
}

async function askHub({ agent, home, key, deadlineMs }, told) {
  // Both at once: the hub is reached while the event is read.
  const hub = connectHub(home);
  const text = await readEvent(told);
  const nonce = makeNonce();
  const leftMs = Math.max(1, Math.floor(deadlineMs - process.uptime() * 1000));
  const params = JSON.stringify({ agent, hookVersion: HOOK_VERSION, nonce, deadlineMs: leftMs });
  // As the agent wrote it: the hub refuses a key that occurs twice, and writing it anew would leave one of the two out.
  const sent = `{"method":"hook","params":${params.slice(0, -1)},"event":${text}}}`;
  hub.socket.write(`${sent}\n`);
  // Takes milliseconds to load: meanwhile the hub thinks.
  const crypto = require("node:crypto");
  // For any other form OpenSSL goes through all of its decoders first.
  const publicKey = { key: { kty: "OKP", crv: "Ed25519", x: key }, format: "jwk" };
  const isSigned = (text, signature) =>
    crypto.verify(null, Buffer.from(text), publicKey, Buffer.from(signature, "base64url"));
  return checkAnswer(await hub.line, { sent, nonce, isSigned });
}

/** The event as its agent wrote it, in one line: in JSON, line ends stand only between its parts. */
async function readEvent(told) {
  const text = String(await readStdin());
  const event = parse(text);
  if (event === undefined) throw new Undecided("what the agent sent to its hook isn't whole JSON");
  if (typeof event !== "object" || event === null || Array.isArray(event)) {
    throw new Undecided("what the agent sent to its hook isn't an event");
  }
  told.event = event;
  return text.replace(/[\r\n]/g, " ");
}

function readStdin() {
  const stat = fs.fstatSync(0);
  if (stat.isFile() && stat.size > MAX_EVENT_BYTES) throw tooLarge();
  if (stat.isFile()) return fs.readFileSync(0, "utf8");
  return new Promise((resolve, reject) => {
    const chunks = [];
    let bytes = 0;
    const take = (chunk) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > MAX_EVENT_BYTES) reject(tooLarge());
      // An object that is closed has no more to come: most are whole at once, and the end needn't be waited for.
      if (chunks.length === 1 && parse(chunk) !== undefined) resolve(chunk);
    };
    // Never a blocking read of a pipe, on whatever thread: one that the agent doesn't close would keep the process from its end.
    const isPipe = stat.isFIFO() || stat.isSocket();
    const input = isPipe
      ? new net.Socket({ fd: 0, writable: false, onread: handTo(take) })
      : process.stdin.on("data", take);
    input.on("end", () => resolve(Buffer.concat(chunks)));
    input.on("error", (cause) => reject(new Undecided(`the agent's event couldn't be read (${cause.code})`)));
  });
}

/** Undefined for what isn't JSON. */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Past the machinery of streams: what of it isn't used isn't compiled either, at every start. */
function handTo(take) {
  const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  return { buffer, callback: (length) => take(Buffer.from(buffer.subarray(0, length))) };
}

function tooLarge() {
  return new Undecided(`the call is larger than ${MAX_EVENT_BYTES} bytes`);
}

/** 128 bits; `crypto` isn't loaded yet. */
function makeNonce() {
  const bytes = Buffer.alloc(16);
  const file = fs.openSync("/dev/urandom", "r");
  if (fs.readSync(file, bytes) !== bytes.length) throw new Undecided("the system gave no random bytes");
  fs.closeSync(file);
  return bytes.toString("base64url");
}

/** `line`: what it says; a hub that goes away before its end has said nothing. */
function connectHub(home) {
  let socket;
  const line = new Promise((resolve, reject) => {
    const chunks = [];
    let bytes = 0;
    const take = (chunk) => {
      const end = chunk.indexOf(10);
      chunks.push(end < 0 ? chunk : chunk.subarray(0, end));
      bytes += chunk.length;
      if (end >= 0) resolve(Buffer.concat(chunks));
      else if (bytes > MAX_ANSWER_BYTES) reject(new Undecided("the hub's answer has no end"));
    };
    socket = net.connect({ path: `${home}/run/hub.sock`, onread: handTo(take) });
    socket.on("error", (cause) =>
      reject(cause.syscall === "connect" ? unreachable(cause, home) : goneAway(cause.code)),
    );
    socket.on("end", () => reject(goneAway("EOF")));
  });
  // It is waited for after the event.
  line.catch(() => undefined);
  return { socket, line };
}

function checkAnswer(line, { sent, nonce, isSigned }) {
  const response = parse(line);
  if (response === undefined) throw new Undecided("what the hub answered isn't JSON");
  if (response?.ok === false) throw refusedByHub(response.error);
  const { answer, signature } = response?.payload ?? {};
  const { stdout = "", stderr = "", exitCode } = answer ?? {};
  if (typeof stdout !== "string" || typeof stderr !== "string" || typeof signature !== "string") throw noAnswer();
  if (!Number.isInteger(exitCode) || exitCode < 0 || exitCode > 255) throw noAnswer();
  const signed = JSON.stringify(["countersign hook answer", HOOK_VERSION, nonce, sent, stdout, stderr, exitCode]);
  if (!isSigned(signed, signature)) {
    throw new Undecided("the answer isn't signed by the hub that was installed; `countersign install` pins a new hub");
  }
  return { stdout, stderr, exitCode };
}

function noAnswer() {
  return new Undecided("the hub is of another version; restart it, or run `countersign install` again");
}

/** Unsigned, so only its sentence is passed on, and it denies in any case. */
function refusedByHub(error) {
  if (error?.code === "METHOD_NOT_FOUND") return noAnswer();
  return new Undecided(`the hub refused: ${String(error?.message).slice(0, 1000)}`);
}

function goneAway(how) {
  return new Undecided(`the hub went away before it answered (${how})`);
}

function unreachable(cause, home) {
  const why = cause.code === "ECONNREFUSED" || cause.code === "ENOENT" ? "the hub isn't running" : cause.code;
  return new Undecided(`${why} (${home}); start it with \`countersign serve\``);
}

function sentenceOf(cause) {
  const why = cause instanceof Undecided ? cause.message : `its hook failed (${cause?.message})`;
  return `Countersign couldn't decide, so this isn't allowed: ${why}.`;
}

/** The agent's own form of "deny". What has happened already can't be denied: of that, nothing is said. */
function refusal(agent, event, sentence) {
  const name = event?.hook_event_name;
  const form = typeof name === "string" ? REFUSALS.get(`${agent} ${name}`) : undefined;
  if (form) return { stdout: form(sentence), stderr: "", exitCode: 0 };
  if (AFTERWARDS.has(name)) return { stdout: "", stderr: "", exitCode: 0 };
  // 2 blocks in every agent, whatever was about to happen.
  return { stdout: "", stderr: `${sentence}\n`, exitCode: 2 };
}

const preToolUse = (permissionDecisionReason) =>
  specific({ hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason });
const permissionRequest = (message) =>
  specific({ hookEventName: "PermissionRequest", decision: { behavior: "deny", message } });
const beforeTool = (reason) => JSON.stringify({ decision: "deny", reason });
const cursorForm = (text) => JSON.stringify({ permission: "deny", user_message: text, agent_message: text });

const REFUSALS = new Map([
  ["claude-code PreToolUse", preToolUse],
  ["claude-code PermissionRequest", permissionRequest],
  ["codex PreToolUse", preToolUse],
  ["codex PermissionRequest", permissionRequest],
  ["gemini BeforeTool", beforeTool],
  ["opencode tool.execute.before", beforeTool],
  ["cursor beforeShellExecution", cursorForm],
  ["cursor beforeMCPExecution", cursorForm],
  ["cursor beforeReadFile", cursorForm],
  ["cursor preToolUse", cursorForm],
]);
const AFTERWARDS = new Set([
  "PostToolUse",
  "PostToolUseFailure",
  "AfterTool",
  "afterShellExecution",
  "afterMCPExecution",
  "afterFileEdit",
  "postToolUse",
  "postToolUseFailure",
  "tool.execute.after",
]);

function specific(hookSpecificOutput) {
  return JSON.stringify({ hookSpecificOutput });
}

/** Where nobody can read the answer, only the exit code speaks: then everything is denied. */
function write({ stdout, stderr, exitCode }) {
  try {
    if (stdout !== "") {
      if (isNowhere(1)) throw new Undecided("its answer can't be read by the agent");
      writeAll(1, `${stdout}\n`);
    }
    if (stderr !== "") writeAll(2, stderr);
    return exitCode;
  } catch (cause) {
    try {
      writeAll(2, `${sentenceOf(cause)}\n`);
    } catch {
      // Neither can be written: the exit code says it.
    }
    return 2;
  }
}

/** Node puts /dev/null where a standard stream was closed. */
function isNowhere(fd) {
  const stat = fs.fstatSync(fd);
  return stat.isCharacterDevice() && stat.rdev === fs.statSync("/dev/null").rdev;
}

function writeAll(fd, text) {
  let bytes = Buffer.from(text);
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(fs.writeSync(fd, bytes));
    } catch (cause) {
      // A pipe that doesn't block and is full: the agent reads on, or its end of it breaks.
      if (cause.code !== "EAGAIN") throw cause;
    }
  }
}

module.exports = { runHook };

if (require.main === module) {
  // With words: an agent may take a hook that says nothing for one that agrees.
  process.on("uncaughtException", (cause) => process.exit(write(refusal(undefined, undefined, sentenceOf(cause)))));
  runHook(process.argv.slice(2)).then((exitCode) => process.exit(exitCode));
}
