import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import type { Outcome } from "@countersign/protocol/proposals";
import { exchange, type Stand, standBefore } from "../../test/recording-proxy.ts";
import { ioHash, openTerminal, output, pass, ScriptedTerminals } from "../../test/terminals.ts";
import type { Gate } from "../proxy/record/before.ts";
import { GrantedTerminals } from "./granted-terminals.ts";

const LONG_MS = 600_000;

/** A proxy whose terminal is given for long, or until a test says that its time is over; without a hub. */
async function given(execd: ScriptedTerminals, cutMs = LONG_MS) {
  const outcomes: Outcome[] = [];
  const told = Promise.withResolvers<Outcome>();
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const terminals = new GrantedTerminals({ execd: execd.url, log, cutMs });
  const tell = (outcome: Outcome) => {
    outcomes.push(outcome);
    told.resolve(outcome);
  };
  const grant = (id: string, ms: number) => terminals.grant(id, { ms, token: undefined, tell });
  const gate: Gate = {
    holds: ({ operation }) => operation === "pty.open" || operation === "pty.socket",
    before: async ({ decoded }) => {
      if (decoded.kind === "pty-open") return { kind: "permit", ended: ({ ptyId = "" }) => grant(ptyId, LONG_MS) };
      return terminals.isGranted("p1")
        ? { kind: "permit" }
        : { kind: "denial", status: 403, code: "GATE_TERMINAL_OVER", message: "over" };
    },
    ptyEnded: (id, exitCode) => terminals.exited(id, exitCode),
    bind: (open) => terminals.bind(open),
    endTerminals: () => terminals.close(),
  };
  const stand = await standBefore(execd.url, { gate, tailMs: 50 });
  await openTerminal(stand.port);
  return { stand, outcomes, told: told.promise, isOver: () => grant("p1", 0) };
}

const HANDSHAKE =
  "GET /pty/p1/ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";

const closesOf = ({ sink }: Stand) => sink.frames.filter(({ action_type }) => action_type === "system.pty.close");

/** As a stock execd: what ran is killed, and whoever is connected is told. */
const answersAndEnds = () =>
  ScriptedTerminals.start((response, terminals) => {
    response.end();
    terminals.end(-1);
  });

test("a terminal that the gate ends is on record as ended", async () => {
  await using execd = await answersAndEnds();
  const { stand, told, isOver } = await given(execd);
  const { agent, execd: inside } = await execd.attach(stand.port);
  const closed = once(agent, "close");
  await pass(inside, agent, output("so far"));
  isOver();
  assert.equal((await closed)[0], 1000);
  assert.equal((await told).kind, "timed-out");
  await stand.proxy.close();
  assert.deepEqual(
    closesOf(stand).map(({ input, output: result }) => [input, result]),
    [[{ exit_code: -1 }, { io_hash: ioHash({ stdout: "so far" }) }]],
  );
});

test("a terminal that nobody is at is on record as ended, too", async () => {
  await using execd = await answersAndEnds();
  const { stand, told, isOver } = await given(execd);
  isOver();
  assert.equal((await told).kind, "timed-out");
  assert.deepEqual(
    closesOf(stand).map(({ input, error, binding }) => [input, error, binding.route]),
    [[{}, "the exit code isn't known", "DELETE /pty/:sessionId"]],
  );
  await stand.proxy.close();
});

test("an execd that doesn't answer holds no terminal open: its sockets are cut, nobody gets in, and no close is claimed", async () => {
  let answers = false;
  await using execd = await ScriptedTerminals.start((response) => void (answers && response.end()));
  const { stand, outcomes, isOver } = await given(execd, 50);
  const { agent, execd: inside } = await execd.attach(stand.port);
  const cut = [once(agent, "close"), once(inside, "close")];
  isOver();
  await Promise.all(cut);
  const refused = await exchange(stand.port, HANDSHAKE);
  assert.match(refused.toString(), /^HTTP\/1\.1 403 .*GATE_TERMINAL_OVER/s);
  assert.deepEqual(outcomes, [], "whether it is closed isn't known yet");
  assert.deepEqual(closesOf(stand), []);
  answers = true;
  await stand.proxy.close();
  assert.equal(closesOf(stand).length, 1, "now it is");
});

test("an execd that says it closed a terminal and doesn't has its sockets cut", async () => {
  await using execd = await ScriptedTerminals.start();
  const { stand, isOver } = await given(execd, 50);
  const { agent } = await execd.attach(stand.port);
  const closed = once(agent, "close");
  isOver();
  await closed;
  await stand.proxy.close();
  assert.equal(closesOf(stand).length, 1);
});

test("when the proxy ends, so do terminals that were given, and that is on record before the proxy is gone", async () => {
  await using execd = await answersAndEnds();
  const { stand, outcomes } = await given(execd);
  const { agent } = await execd.attach(stand.port);
  const closed = once(agent, "close");
  await stand.proxy.close();
  await closed;
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ["aborted"],
  );
  assert.equal(closesOf(stand).length, 1);
});

test("a shell's end is told once, and what execd could start again is still closed there", async () => {
  await using execd = await ScriptedTerminals.start((response) => void response.writeHead(404).end());
  const { stand, told, outcomes } = await given(execd);
  await execd.attach(stand.port);
  execd.end(0);
  await told;
  const refused = await exchange(stand.port, HANDSHAKE);
  assert.match(refused.toString(), /^HTTP\/1\.1 403 /);
  await stand.proxy.close();
  assert.equal(execd.deleted, 1);
  assert.deepEqual(outcomes, [{ kind: "exited", exitCode: 0 }]);
  assert.equal(closesOf(stand).length, 1);
});
