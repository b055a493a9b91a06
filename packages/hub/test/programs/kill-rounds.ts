import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { end, hubProcess, paired, rowsIn, wholeLedger } from "../support/remote-recorder-fixture.ts";
import { eventually, send } from "../support/serve-fixture.ts";

const AT_ONCE = 6;

/**
 * Proposals at a hub whose recorder is another process, and a kill of either or both while they are on their way. Afterwards both have the same
 * ledger, nothing is there twice, nothing ran that isn't on record as decided and started, and everything has ended.
 */
export async function killRounds(t: TestContext, rounds: number): Promise<void> {
  const place = await paired(t, { profile: { security: "full", ask: "off" } });
  const { homeDir, recorderHome, workspace } = place;
  let recorder: ChildProcess = await place.start();
  let hub = await hubProcess(t, place);
  const ids: string[] = [];
  const isSettled = async () => {
    const ready = await send(new URL("/readyz", hub.url), {}).catch(() => undefined);
    return ready?.status === 200 && rowsIn(homeDir, "SELECT key FROM outbox").length === 0;
  };
  for (let round = 0; round < rounds; round += 1) {
    await eventually(isSettled);
    const before = rowsIn(recorderHome, "SELECT seq FROM receipt").length;
    const killAt = before + randomInt(1, 3 * AT_ONCE);
    const calls = Array.from({ length: AT_ONCE }, (_, n) => {
      const id = `p-${round}-${n}`;
      ids.push(id);
      const body = { command: `touch ${id}`, proposalId: id };
      return send(new URL("/api/v1/exec", hub.url), { method: "POST", body }).catch(() => undefined);
    });
    await eventually(() => rowsIn(recorderHome, "SELECT seq FROM receipt").length >= killAt);
    const victims = [[recorder], [hub.child], [recorder, hub.child]][round % 3] as ChildProcess[];
    await Promise.all(victims.map((child) => end(child, "SIGKILL")));
    if (victims.includes(recorder)) recorder = await place.start();
    if (victims.includes(hub.child)) hub = await hubProcess(t, place);
    await Promise.all(calls);
  }
  await eventually(isSettled);
  await end(hub.child, "SIGTERM");
  const [ours, theirs] = [await wholeLedger(homeDir), await wholeLedger(recorderHome)];
  assert.deepEqual(ours, theirs.slice(0, ours.length));
  // It may have signed another checkpoint meanwhile.
  assert.ok(theirs.length - ours.length <= 1);
  const entries = rowsIn(recorderHome, "SELECT type, proposal_key AS key FROM receipt WHERE proposal_key IS NOT NULL");
  const typesOf = (key: unknown) => entries.filter((entry) => entry.key === key).map(({ type }) => type);
  for (const { key, proposal_id: id, state } of rowsIn(homeDir, "SELECT key, proposal_id, state FROM proposal")) {
    const types = typesOf(key);
    assert.equal(new Set(types).size, types.length, `${id}: ${types}`);
    assert.equal(state, "ended", String(id));
    assert.equal(types.at(-1), "ended", `${id}: ${types}`);
    if (existsSync(join(workspace, String(id)))) assert.deepEqual(types, ["decided", "started", "ended"], String(id));
  }
  const known = new Set(rowsIn(homeDir, "SELECT proposal_id AS id FROM proposal").map(({ id }) => id));
  assert.deepEqual(
    ids.filter((id) => existsSync(join(workspace, id)) && !known.has(id)),
    [],
  );
}
