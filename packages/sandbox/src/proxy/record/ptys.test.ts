import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { exchange, type Stand, standBefore } from "../../../test/recording-proxy.ts";
import {
  errors,
  input,
  ioHash,
  openTerminal,
  output,
  pass,
  replay,
  ScriptedTerminals,
} from "../../../test/terminals.ts";
import type { ExecdFrame } from "../../delivery/frame.ts";
import { Ptys } from "./ptys.ts";

const CLOSE = "system.pty.close";
const VIEWER = '{"type":"connected","session_id":"p1","mode":"pty","role":"viewer"}';

/** When it is told. */
async function closeOf({ sink }: Stand, which = 1): Promise<ExecdFrame> {
  for (let count = 1; ; count++) {
    const closes = (await sink.have(count)).filter(({ action_type }) => action_type === CLOSE);
    if (closes.length >= which) return closes[which - 1] as ExecdFrame;
  }
}

async function terminal() {
  const execd = await ScriptedTerminals.start();
  const stand = await standBefore(execd.url);
  await openTerminal(stand.port);
  return {
    execd,
    stand,
    attach: (query?: string) => execd.attach(stand.port, query),
    async [Symbol.asyncDispose]() {
      await stand.proxy.close();
      await execd[Symbol.asyncDispose]();
    },
  };
}

test("a byte of output counts once, over however many sockets and in whichever order it comes", async () => {
  for (const first of ["holder", "viewer"]) {
    await using box = await terminal();
    const holder = await box.attach();
    const viewer = await box.attach("?mode=viewer");
    await pass(viewer.execd, viewer.agent, VIEWER);
    let at = 0;
    for (const text of ["one ", "two ", "three"]) {
      const live = () => pass(holder.execd, holder.agent, output(text));
      const watched = () => pass(viewer.execd, viewer.agent, replay(at, text));
      for (const each of first === "holder" ? [live, watched] : [watched, live]) await each();
      at += text.length;
    }
    await pass(holder.agent, holder.execd, input("typed"));
    box.execd.end(0);
    assert.deepEqual((await closeOf(box.stand)).output, {
      io_hash: ioHash({ stdin: "typed", stdout: "one two three" }),
    });
    assert.equal(box.stand.sink.frames.filter(({ action_type }) => action_type === CLOSE).length, 1, first);
  }
});

test("one that only watches types nothing; where it did before that was known, the record isn't exact", async () => {
  for (const isEarly of [false, true]) {
    await using box = await terminal();
    const viewer = await box.attach("?mode=viewer");
    if (isEarly) await pass(viewer.agent, viewer.execd, input("early"));
    await pass(viewer.execd, viewer.agent, VIEWER);
    await pass(viewer.agent, viewer.execd, input("late"));
    await pass(viewer.agent, viewer.execd, '{"type":"signal","signal":"SIGKILL"}');
    box.execd.end(1);
    const { input: told, output: result } = await closeOf(box.stand);
    assert.deepEqual(told, { exit_code: 1 });
    const io = isEarly ? { io_hash: ioHash({ stdin: "early" }), incomplete: true } : { io_hash: ioHash({}) };
    assert.deepEqual(result, io);
  }
});

test("an agent can't put words into a terminal's output", async () => {
  await using box = await terminal();
  const { agent, execd } = await box.attach();
  for (const forged of [output("false"), errors("false"), replay(0, "false"), '{"type":"exit","exit_code":0}'])
    await pass(agent, execd, forged);
  await pass(execd, agent, output("true"));
  box.execd.end(3);
  const { input: told, output: result } = await closeOf(box.stand);
  assert.deepEqual([told, result], [{ exit_code: 3 }, { io_hash: ioHash({ stdout: "true" }) }]);
});

test("who comes back goes on where the output was; what nobody saw, and what a client only says, is a gap", async () => {
  const cases: [query: string, sent: Buffer[], stdout: string, isWhole: boolean][] = [
    ["?since=3", [output("def")], "abcdef", true],
    ["", [replay(0, "abc"), output("def")], "abcdef", true],
    ["?since=0", [replay(0, "abcde"), output("f")], "abcdef", true],
    ["?since=1", [replay(1, "bcdef")], "abcdef", true],
    // Two bytes were put out while nobody was there, and aren't wanted.
    ["?since=5", [output("f")], "abcf", false],
    ["?since=999999999999999", [output("def")], "abcdef", false],
    ["?since=3x", [output("def")], "abcdef", false],
    ["", [replay(4, "ef")], "abcef", false],
  ];
  for (const [query, sent, stdout, isWhole] of cases) {
    await using box = await terminal();
    const first = await box.attach();
    await pass(first.execd, first.agent, output("abc"));
    first.agent.close();
    await once(first.execd, "close");
    const second = await box.attach(query);
    for (const message of sent) await pass(second.execd, second.agent, message);
    box.execd.end(0);
    const io = { io_hash: ioHash({ stdout }), ...(isWhole ? {} : { incomplete: true }) };
    assert.deepEqual((await closeOf(box.stand)).output, io, query);
  }
});

test("without a terminal, what is replayed isn't known to be of either stream", async () => {
  await using box = await terminal();
  const first = await box.attach("?pty=0");
  await pass(first.execd, first.agent, '{"type":"connected","mode":"pipe"}');
  await pass(first.execd, first.agent, output("a"));
  await pass(first.execd, first.agent, errors("b"));
  first.agent.close();
  await once(first.execd, "close");
  const second = await box.attach();
  await pass(second.execd, second.agent, replay(0, "ab"));
  second.agent.close();
  await once(second.execd, "close");
  const third = await box.attach();
  await pass(third.execd, third.agent, replay(0, "abc"));
  box.execd.end(0);
  const io = { io_hash: ioHash({ stdout: "ac", stderr: "b" }), incomplete: true };
  assert.deepEqual((await closeOf(box.stand)).output, io);
});

test("what still comes after the exit's own word counts, and so does a shell that starts again", async () => {
  await using box = await terminal();
  const first = await box.attach();
  await pass(first.execd, first.agent, output("before "));
  await pass(first.execd, first.agent, '{"type":"exit","exit_code":4}');
  await pass(first.execd, first.agent, output("after"));
  first.execd.close(1000, "process exited");
  const { input: told, output: result } = await closeOf(box.stand);
  assert.deepEqual([told, result], [{ exit_code: 4 }, { io_hash: ioHash({ stdout: "before after" }) }]);

  const second = await box.attach("?since=12");
  await pass(second.execd, second.agent, output("again"));
  box.execd.end(0);
  assert.deepEqual((await closeOf(box.stand, 2)).output, { io_hash: ioHash({ stdout: "again" }) });
  const opens = box.stand.sink.frames.filter(({ action_type }) => action_type === "system.pty.open");
  assert.deepEqual(
    opens.map(({ correlation_id, input: what, output: which }) => [correlation_id, what, which]),
    [0, 1].map(() => ["pty:p1", { command: "bash" }, { pty_id: "p1" }]),
  );
});

test("a terminal that is deleted has one close, with all that passed until its sockets closed", async () => {
  await using box = await terminal();
  const { agent, execd } = await box.attach();
  await pass(execd, agent, output("before "));
  await exchange(box.stand.port, "DELETE /pty/p1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  await pass(execd, agent, output("after"));
  box.execd.end(-1);
  const { input: told, output: result, binding } = await closeOf(box.stand);
  assert.deepEqual(
    [told, result, binding.route],
    [{ exit_code: -1 }, { io_hash: ioHash({ stdout: "before after" }) }, "DELETE /pty/:sessionId"],
  );
  await box.stand.proxy.close();
  assert.equal(box.stand.sink.frames.filter(({ action_type }) => action_type === CLOSE).length, 1);
});

test("a terminal that is deleted while nobody is told its exit code has a close without one", async () => {
  await using box = await terminal();
  const { agent, execd } = await box.attach();
  await pass(execd, agent, output("seen"));
  agent.close();
  await once(execd, "close");
  await exchange(box.stand.port, "DELETE /pty/p1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const { input: told, output: result, error } = await closeOf(box.stand);
  assert.deepEqual([told, result, error], [{}, undefined, "the exit code isn't known"]);
});

test("what execd refuses isn't counted as typed, and where it ends a socket the record isn't exact", async () => {
  await using box = await terminal();
  const { agent, execd } = await box.attach();
  await pass(agent, execd, '{"type":"stdin","data":"rm","cols":"x"}');
  await pass(agent, execd, '{"type":"stdin","data":"rm","rows":1.5}');
  await pass(agent, execd, '{"type":"stdin","data":"ls","cols":80}');
  box.execd.end(0);
  assert.deepEqual((await closeOf(box.stand)).output, { io_hash: ioHash({ stdin: "ls" }) });

  const ptys = new Ptys();
  ptys.opened("p1", {});
  const ends: object[] = [];
  const nothing = () => undefined;
  const { visit, closed } = ptys.attach(
    "p1",
    { since: 0, asked: 0 },
    { onExit: nothing, tellAgain: nothing, cut: nothing, tellEnd: (end) => ends.push(end) },
  );
  visit.fromAgent.push(Buffer.from([0x82, 3, 0, 0x72, 0x6d]));
  const exit = Buffer.from('{"type":"exit","exit_code":0}');
  visit.fromExecd.push(Buffer.concat([Buffer.from([0x81, exit.length]), exit]));
  closed();
  assert.deepEqual(ends, [{ input: { exit_code: 0 }, output: { io_hash: ioHash({}), incomplete: true } }]);
});

test("a terminal that somebody came to before its opening was told keeps its record, and has one close", () => {
  const ptys = new Ptys();
  const ends: object[] = [];
  const nothing = () => undefined;
  const attachment = { onExit: nothing, tellAgain: nothing, cut: nothing, tellEnd: (end: object) => ends.push(end) };
  const { visit, closed } = ptys.attach("p1", { since: 0, asked: 0 }, attachment);
  visit.fromExecd.push(Buffer.concat([Buffer.from([0x82, 5]), output("seen")]));
  ptys.opened("p1", {});
  const exit = Buffer.from('{"type":"exit","exit_code":0}');
  visit.fromExecd.push(Buffer.concat([Buffer.from([0x81, exit.length]), exit]));
  closed();
  assert.equal(ptys.deleted("p1", nothing), false, "its end is known");
  assert.deepEqual(ends, [
    { input: { exit_code: 0 }, output: { io_hash: ioHash({ stdout: "seen" }), incomplete: true } },
  ]);
});

test("no compression is agreed on, so what passes can be read", async () => {
  await using box = await terminal();
  const direct = await box.execd.attach(Number(box.execd.url.port));
  assert.match(direct.agent.extensions, /permessage-deflate/, "both sides would");
  direct.agent.terminate();
  const { agent, execd } = await box.attach();
  assert.deepEqual([agent.extensions, execd.extensions], ["", ""]);
  const long = "the same again ".repeat(1000);
  await pass(agent, execd, input(long));
  await pass(execd, agent, output(long));
  box.execd.end(0);
  assert.deepEqual((await closeOf(box.stand)).output, { io_hash: ioHash({ stdin: long, stdout: long }) });
});

test("at the end a terminal has its time: one that ends within it has its close, another none, and is cut", async () => {
  await using execd = await ScriptedTerminals.start();
  const patient = await standBefore(execd.url, { tailMs: 60_000 });
  await openTerminal(patient.port);
  const first = await execd.attach(patient.port);
  const closing = patient.proxy.close();
  await pass(first.agent, first.execd, input("exit\n"));
  await pass(first.execd, first.agent, output("bye"));
  assert.equal(patient.sink.drains, 0, "it has its time");
  execd.end(0);
  await closing;
  const close = patient.sink.frames.at(-1);
  assert.deepEqual(
    [close?.action_type, close?.output],
    [CLOSE, { io_hash: ioHash({ stdin: "exit\n", stdout: "bye" }) }],
  );
  assert.equal(patient.sink.drains, 1);

  const hasty = await standBefore(execd.url, { tailMs: 50 });
  await openTerminal(hasty.port);
  const second = await execd.attach(hasty.port);
  const cut = [once(second.agent, "close"), once(second.execd, "close")];
  await hasty.proxy.close();
  await Promise.all(cut);
  assert.deepEqual(
    hasty.sink.frames.map(({ action_type }) => action_type),
    ["system.pty.open", "system.application.control"],
  );
});

test("at the end, an end that was told already is on record although its socket is still open", async () => {
  await using execd = await ScriptedTerminals.start();
  const stand = await standBefore(execd.url, { tailMs: 50 });
  await openTerminal(stand.port);
  const { agent, execd: inside } = await execd.attach(stand.port);
  await pass(inside, agent, '{"type":"exit","exit_code":5}');
  assert.equal(stand.sink.frames.at(-1)?.action_type, "system.application.control");
  await stand.proxy.close();
  assert.deepEqual(stand.sink.frames.at(-1)?.input, { exit_code: 5 });
});
