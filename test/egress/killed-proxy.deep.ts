import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { BIN, Running } from "../../packages/cli/test/countersign.ts";
import { brief, EgressRoom } from "./egress-room.ts";
import { type Room, whyNoNetwork } from "./network.ts";

const skip = whyNoNetwork() ?? false;
const RELAY = "10.77.1.1:44780";

function startIn(t: TestContext, room: EgressRoom, where: Room, args: readonly string[]): Running {
  const [program, ...enter] = room.network.enter(where);
  const env = { PATH: process.env.PATH ?? "", HOME: room.place.workspace, COUNTERSIGN_HOME: room.place.home };
  const node = [process.execPath, BIN, "execd", ...args];
  const running = new Running(spawn(program, [...enter, ...node], { cwd: room.place.workspace, env }));
  t.after(() => running.stop("SIGKILL"));
  return running;
}

test("a sandbox that kills its proxy is silent there, and still told of from outside", { skip }, async (t) => {
  const room = await EgressRoom.make(t);
  const { place } = room;
  const bundle = join(place.workspace, "one.pem");
  for (const args of [["init"], ["issue", "--relay", "--host", "10.77.1.1"], ["issue", "one", "--out", bundle]]) {
    const { code, stderr } = await place.run("execd", "ca", ...args);
    assert.equal(code, 0, stderr);
  }
  const world = await room.network.peer("world");
  await world.ask("serveTcp", { host: "10.77.9.2", port: 80 });
  await startIn(t, room, "host", ["relay", "--json", "--listen", RELAY]).firstLine();
  await room.observe("--sandbox", "one=cable1", "--relay", RELAY);
  await startIn(t, room, "box1", ["serve", "--json", "--no-jail"]).firstLine();
  const reach = [
    "--relay",
    `https://${RELAY}`,
    "--bundle",
    bundle,
    "--sandbox-id",
    "one",
    "--state",
    join(place.workspace, "proxy"),
  ];
  const proxy = startIn(t, room, "box1", ["proxy", "--json", "--listen", "127.0.0.1:44771", ...reach]);
  await proxy.firstLine();
  const command = (port: number, text: string) => {
    const body = JSON.stringify({ command: text });
    const [program, ...enter] = room.network.enter("box1");
    return new Running(
      spawn(program, [
        ...enter,
        "curl",
        "-s",
        "-m",
        "20",
        "-H",
        "content-type: application/json",
        "-d",
        body,
        `http://127.0.0.1:${port}/command`,
      ]),
    ).ended;
  };
  const dial = (port: number) => `exec 3<>/dev/tcp/10.77.9.2/${port}`;

  // Through the proxy: both sides tell.
  await command(44_771, `bash -c '${dial(80)}'`);
  await room.until("one", ({ flows }) => flows.some(({ dst_port }) => dst_port === 80));
  await room.place.until(async () => (await actions(room)).includes("system.command.execute"));
  // Round it: execd is asked itself, to kill the proxy, and then for what nobody inside tells of any more.
  await command(44_772, `kill -9 ${proxy.child.pid}`);
  await proxy.ended;
  const before = (await actions(room)).length;
  await command(44_772, `bash -c '${dial(81)}'`);
  const { flows } = await room.until("one", (now) => now.flows.some(({ dst_port }) => dst_port === 81));
  assert.ok(flows.map(brief).includes("final tcp 10.77.9.2 81 allowed"));
  assert.equal((await actions(room)).length, before);
  const toRelay = await room.until("one", (now) => now.flows.some(({ service }) => service === "relay"));
  assert.ok(
    toRelay.flows.filter(({ service }) => service === "relay").every(({ dst_addr }) => dst_addr === "10.77.1.1"),
  );
});

/** What was told from inside. */
async function actions(room: EgressRoom): Promise<string[]> {
  const { stdout } = await room.place.run("receipts", "list", "--json", "--limit", "500");
  return [...stdout.matchAll(/"(system\.[a-z.]+)"/g)].map(([, type = ""]) => type);
}
