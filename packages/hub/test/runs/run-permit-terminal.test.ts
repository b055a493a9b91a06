import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { claimCommand } from "../../src/permits/claim-command.ts";
import { CLAUDE, permitFor, serveClaims } from "../support/claimed-run.ts";
import { eventually, type Serving } from "../support/serve-fixture.ts";

const pty = await import("@lydell/node-pty").catch(() => undefined);
const skip = pty ? false : "needs a build of node-pty for this machine";

/** The rewritten command in a terminal, as agents have one: all that was written to it, and how it ended. */
async function inTerminal(server: Serving, command: string, redirection = "") {
  assert(pty);
  const permit = await permitFor(server, command);
  const rewritten = claimCommand(permit, { agent: CLAUDE.name, homeDir: server.homeDir });
  const words = ["-c", redirection === "" ? rewritten : `{ ${rewritten}; }${redirection}`];
  const shell = pty.spawn("bash", words, { name: "xterm-256color", cols: 91, rows: 31, cwd: server.workspace });
  let written = "";
  shell.onData((text) => {
    written += text;
  });
  const ended = new Promise<number>((resolve) => shell.onExit(({ exitCode }) => resolve(exitCode)));
  return {
    shell,
    ended,
    shows: (what: string) => eventually(() => written.includes(what)).catch(() => assert.fail(JSON.stringify(written))),
    written: () => written,
  };
}

test("in a terminal, a run has one: of its size, with its keys", { skip }, async (t) => {
  const server = await serveClaims(t);
  if (server.served.noJail !== undefined) return t.skip(server.served.noJail);

  await t.test("programs see it, and what they write comes out as it is", async () => {
    const run = await inTerminal(
      server,
      `for fd in 0 1 2; do [ -t $fd ] && echo tty; done; stty size; echo $TERM; exit 7`,
    );
    assert.equal(await run.ended, 7);
    assert.equal(run.written(), "tty\r\ntty\r\ntty\r\n31 91\r\nxterm-256color\r\n");
  });

  await t.test("nothing of it is lost, also where it ends with a lot", async () => {
    const run = await inTerminal(server, "seq 1 100000; tty");
    assert.equal(await run.ended, 0);
    const lines = Array.from({ length: 100_000 }, (_, at) => `${at + 1}\r\n`).join("");
    assert.equal(run.written() === `${lines}/dev/console\r\n`, true, run.written().slice(-100));
  });

  await t.test("what is typed is read, and Ctrl-C is the command's to take", async () => {
    const run = await inTerminal(
      server,
      `trap 'echo caught' INT; echo ready; read -r line; echo "got $line"; sleep 100; exit 5`,
    );
    await run.shows("ready");
    run.shell.write("typed\r");
    await run.shows("got typed");
    run.shell.write("\x03");
    await run.shows("caught");
    assert.equal(await run.ended, 5);
    const unheeded = await inTerminal(server, "echo ready; sleep 100");
    await unheeded.shows("ready");
    unheeded.shell.write("\x03");
    assert.equal(await unheeded.ended, 130);
  });

  await t.test("what goes elsewhere still does", async () => {
    const run = await inTerminal(server, "echo out; echo err >&2; [ -t 2 ] || echo apart", " 2>err.txt");
    await run.ended;
    assert.equal(run.written(), "out\r\napart\r\n");
    assert.equal(readFileSync(join(server.workspace, "err.txt"), "utf8"), "err\n");
  });

  await t.test("it is told of another size", async () => {
    const run = await inTerminal(server, `trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.05; done`);
    await run.shows("ready");
    run.shell.resize(100, 40);
    await run.shows("40 100");
    assert.equal(await run.ended, 0);
  });

  await t.test("when the terminal is gone, so is the run", async () => {
    const run = await inTerminal(server, "echo ready; sleep 1000");
    await run.shows("ready");
    run.shell.kill("SIGHUP");
    await run.ended;
    await eventually(() => server.served.hub.runs.list().length === 0);
  });
});
