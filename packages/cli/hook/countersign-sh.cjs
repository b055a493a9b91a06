"use strict";
// What an agent runs instead of the command that it proposed. Plain CommonJS that any Node from 18 on parses, with `fs` and `net`
// alone: all that it adds to a command is the time that Node takes to start.
//
// It starts nothing itself. It brings a permit to the hub, which runs what was permitted in its jail, and passes on what that
// writes and how it ends. No environment variable changes anything here. The hub writes the arguments:
//
//   node countersign-sh.cjs --home <directory> [--agent <name>] [--tell-directory] <permit>

const fs = require("node:fs");
const net = require("node:net");

/** As of a shell that can't run a command, and of timeout(1) where it is itself what failed. */
const EXIT = { lost: 125, refused: 126 };
/** Where the last working directory is told. */
const DIRECTORY_FD = 3;
/** How long a run that was ended has to be on record before we leave anyway. */
const LEAVE_MS = 3_000;
const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };
const BROKEN_PIPE = 141;

/** Nothing was run, and the sentence says why. */
class Refused extends Error {}

/** Runs what the permit permits; resolves with the exit code, or dies of the signal that ended it. */
async function runPermit({ home, agent, permit, tellDirectory = false }) {
  const socket = await connectTo(home).catch((cause) => cause);
  if (socket instanceof Error) return refuse(socket);
  const running = new Running(socket);
  const params = { permit, ...(agent === undefined ? {} : { agent }) };
  running.send({ method: "runPermit", params });
  const end = await running.ended;
  await running.written;
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
      const remedy = "Nothing was run. Start the hub (`countersign serve`) and propose the command again.";
      reject(new Refused(`No hub answers at ${path} (${cause.code}). ${remedy}`));
    });
  });
}

/** One run, from our side. */
class Running {
  #socket;
  #resolve;
  #text = "";
  #signal;
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

  #take(text) {
    const lines = (this.#text + text).split("\n");
    this.#text = lines.pop();
    for (const line of lines) this.#read(JSON.parse(line));
  }

  #read(line) {
    if (line.output) this.#print(line.output);
    else if (line.ok) this.#end(line.payload);
    else this.#end({ exitCode: EXIT.refused, sentence: line.error.message });
  }

  /** In order, and no faster than it is read: the hub then waits, and with it the command. */
  #print({ stream, text }) {
    const out = stream === "stdout" ? process.stdout : process.stderr;
    if (out.write(text)) return;
    this.#socket.pause();
    this.written = new Promise((resolve) => out.once("drain", resolve).once("close", resolve));
    this.written.then(() => this.#socket.resume());
  }

  /** Whoever ends us doesn't want the command either. */
  #endBy(signal) {
    if (this.#signal) return;
    this.#signal = signal;
    this.#socket.end();
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
