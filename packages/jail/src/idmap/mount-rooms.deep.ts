import assert from "node:assert/strict";
import { test } from "node:test";
import { inJail, openRooms, possessions, whyNoMountRooms, workspaceOf } from "../../test/support/mount-room-fixture.ts";

const skip = (await whyNoMountRooms()) ?? false;

test("200 rooms opened, used and closed leave no descriptor, process or mount", { skip }, async (t) => {
  const workspaces = Array.from({ length: 20 }, () => workspaceOf(t, 0));
  const before = possessions();
  const rooms = openRooms(t, { maxRooms: 8 });
  for (let n = 0; n < 200; n += 1) {
    const workspace = workspaces[n % workspaces.length] as string;
    const room = await rooms.room([workspace]);
    assert.equal(inJail(room, [workspace], `echo ${n} > ${n}`).status, 0);
    room.release();
  }
  assert.equal(possessions().descriptors, before.descriptors + 8);
  rooms.close();
  assert.deepEqual(possessions(), before);
});
