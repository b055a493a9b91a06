"use strict";
// What an agent runs instead of the command that it proposed. Plain CommonJS that any Node from 18 on parses, with `fs`, `net` and, on a
// terminal, what that needs: all that it adds to a command is the time that Node takes to start.
//
// It starts nothing itself. It brings a permit to the hub, which runs what was permitted in its jail, and passes on what that
// writes and how it ends. No environment variable changes anything here. The hub writes the arguments:
//
//   node countersign-sh.cjs --home <directory> [--agent <name>] [--tell-directory] <permit>

const fs = require("node:fs");
const net = require("node:net");
const tty = require("node:tty");

/** As of a shell that can't run a command, and of timeout(1) where it is itself what failed. */
const EXIT = { lost: 125, refused: 126 };
/** Where the last working directory is told. */
const DIRECTORY_FD = 3;
/** How long a run that was ended has to be on record before we leave anyway. */
const LEAVE_MS = 3_000;
const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };
const BROKEN_PIPE = 141;
const MAX_INPUT = 64 * 1024;

const NOT_UNDERSTOOD =
  "What answered isn't a hub of this version. Its ledger, if it has one, says whether the command ran; restart the hub.";

/** Nothing was run, and the sentence says why. */
class Refused extends Error {}

/** Runs what the permit permits; resolves with the exit code, or dies of the signal that ended it. */
async function runPermit({ home, agent, permit, tellDirectory = false }) {
  const socket = await connectTo(home).catch((cause) => cause);
  if (socket instanceof Error) return refuse(socket);
  const running = new Running(socket);
  const terminal = terminalHere();
  const hasInput = terminal !== undefined || isInput();
  running.send({ method: "runPermit", params: { permit, agent, input: hasInput || undefined, terminal } });
  const restore = terminal && makeRaw();
  if (hasInput) running.pipeInput();
  if (terminal) running.tellSizes();
  const end = await running.ended;
  await running.written;
  if (restore) restore();
  if (end.directory && tellDirectory) tell(end.directory);
  if (end.sentence) process.stderr.write(`countersign: ${end.sentence}\n`);
  if (end.signal) await dieOf(end.signal);
  return end.exitCode;
}

function connectTo(home) {
  const path = `${home}/run/hub.sock`;
  return new Promise((resolve, reject) => {
    const socket = net.connect(path);
    socket.once("connect", () => resolve(socket));
    socket.once("error", (cause) => {
      const start = `No hub answers at ${path} (${cause.code}). Nothing was run. Start the hub (\`countersign serve\`)`;
      const shut = `Nothing was run: this command may not reach the hub at ${path} (${cause.code}). The agent's own sandbox must let it connect there`;
      const isShut = cause.code === "EPERM" || cause.code === "EACCES";
      reject(new Refused(`${isShut ? shut : start}, and propose the command again.`));
    });
  });
}

/** A terminal, where our input and our output are one. */
function terminalHere() {
  if (!tty.isatty(0) || !tty.isatty(1)) return undefined;
  const { columns, rows } = process.stdout;
  const name = /^[A-Za-z0-9+._-]{1,64}$/.test(process.env.TERM || "") ? process.env.TERM : "dumb";
  return { columns: columns || 80, rows: rows || 24, name, stderr: tty.isatty(2) };
}

/** Nothing comes from /dev/null, and where there is no descriptor. */
function isInput() {
  try {
    const here = fs.fstatSync(0);
    return !(here.isCharacterDevice() && here.rdev === fs.statSync("/dev/null").rdev);
  } catch {
    return false;
  }
}

/**
 * What is typed goes to the run's own terminal as it is, Ctrl-C too, and what that writes comes out as it is. Node's raw mode still
 * changes line ends. Returns how to put it back.
 */
function makeRaw() {
  const stty = (...words) =>
    require("node:child_process").spawnSync("stty", words, { stdio: ["inherit", "pipe", "ignore"], encoding: "utf8" });
  const before = stty("-g");
  if (before.status === 0 && stty("raw", "-echo").status === 0) return () => stty(before.stdout.trim());
  process.stdin.setRawMode(true);
  return () => process.stdin.setRawMode(false);
}

/** One run, from our side. */
class Running {
  #socket;
  #resolve;
  #text = "";
  #signal;
  #taken = () => undefined;
  /** What was passed on so far. */
  written = Promise.resolve();

  constructor(socket) {
    this.#socket = socket;
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    socket.setEncoding("utf8");
    socket.on("data", (text) => this.#take(text));
    socket.on("error", () => undefined);
    socket.on("close", () => this.#lost());
    for (const signal of Object.keys(SIGNALS)) process.on(signal, () => this.#endBy(signal));
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => this.#endBy("SIGPIPE"));
  }

  send(line) {
    this.#socket.write(`${JSON.stringify(line)}\n`);
  }

  /** A piece at a time: the next when the run took it. */
  async pipeInput() {
    try {
      for await (const chunk of process.stdin) {
        for (let at = 0; at < chunk.length; at += MAX_INPUT) await this.#give(chunk.subarray(at, at + MAX_INPUT));
      }
    } catch {
      // It can't be read: then there is no more.
    }
    this.send({ input: null });
  }

  tellSizes() {
    process.stdout.on("resize", () => {
      const { columns, rows } = process.stdout;
      this.send({ size: { columns, rows } });
    });
  }

  #give(bytes) {
    this.send({ input: bytes.toString("base64") });
    return new Promise((resolve) => {
      this.#taken = resolve;
    });
  }

  #take(text) {
    const lines = (this.#text + text).split("\n");
    this.#text = lines.pop();
    try {
      for (const line of lines) this.#read(JSON.parse(line));
    } catch {
      this.#end({ exitCode: EXIT.lost, sentence: NOT_UNDERSTOOD });
    }
  }

  #read(line) {
    if (line.output) this.#print(line.output);
    else if (line.taken) this.#taken();
    else if (line.ok === false) this.#end({ exitCode: EXIT.refused, sentence: line.error.message });
    else if (Number.isInteger(line.payload.exitCode)) this.#end(line.payload);
    else throw new Error("not an end");
  }

  /** In order, and no faster than it is read: the hub then waits, and with it the command. */
  #print({ stream, text }) {
    const out = stream === "stdout" ? process.stdout : process.stderr;
    if (out.write(text)) return;
    this.#socket.pause();
    const drained = new Promise((resolve) => out.once("drain", resolve).once("close", resolve));
    this.written = Promise.all([this.written, drained]);
    this.written.then(() => this.#socket.resume());
  }

  /** Whoever ends us doesn't want the command either. */
  #endBy(signal) {
    if (this.#signal) return;
    this.#signal = signal;
    this.send({ end: true });
    setTimeout(() => this.#end({ exitCode: BROKEN_PIPE }), LEAVE_MS);
  }

  #end(end) {
    this.#resolve(this.#signal ? { ...end, signal: this.#signal } : end);
  }

  #lost() {
    const sentence =
      "The hub ended before it told how the command did. It doesn't run on; the ledger says whether it ran.";
    this.#end(this.#signal ? { exitCode: BROKEN_PIPE } : { exitCode: EXIT.lost, sentence });
  }
}

function refuse(cause) {
  process.stderr.write(`countersign: ${cause.message}\n`);
  return EXIT.refused;
}

/** With a slash behind it: a shell drops line ends from the end of what it reads. */
function tell(directory) {
  try {
    fs.writeSync(DIRECTORY_FD, `${directory}/`);
  } catch (cause) {
    if (cause.code !== "EBADF" && cause.code !== "EPIPE") throw cause;
  }
}

/** So that whoever waits for us sees what it would have seen of the command. */
async function dieOf(signal) {
  process.removeAllListeners(signal);
  if (signal === "SIGPIPE") process.exit(BROKEN_PIPE);
  process.kill(process.pid, signal);
  await new Promise((resolve) => setTimeout(resolve, LEAVE_MS));
}

function readArguments(words) {
  const given = { tellDirectory: false };
  const rest = [...words];
  while (rest.length > 1) {
    const option = rest.shift();
    if (option === "--tell-directory") given.tellDirectory = true;
    else if (option === "--home") given.home = rest.shift();
    else if (option === "--agent") given.agent = rest.shift();
    else throw new Refused(`The runner's argument ${JSON.stringify(option)} isn't known. Nothing was run.`);
  }
  const [permit] = rest;
  if (permit === undefined || given.home === undefined) {
    throw new Refused("The runner needs --home and a permit. Nothing was run.");
  }
  return { ...given, permit };
}

module.exports = { runPermit };

if (require.main === module) {
  Promise.resolve()
    .then(() => runPermit(readArguments(process.argv.slice(2))))
    .catch(refuse)
    .then((exitCode) => process.exit(exitCode));
}
