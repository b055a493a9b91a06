import assert from "node:assert/strict";
import { test } from "node:test";
import {
  inJail,
  openIdmapMounts,
  possessions,
  whyNoIdmapMounts,
  workspaceOf,
} from "../../test/support/idmap-fixture.ts";

const skip = (await whyNoIdmapMounts()) ?? false;

test("200 rooms opened, used and closed leave no descriptor, process or mount", { skip }, async (t) => {
  const workspaces = Array.from({ length: 20 }, () => workspaceOf(t, 0));
  const before = possessions();
  const rooms = openIdmapMounts(t, { maxOpen: 8 });
  for (let n = 0; n < 200; n += 1) {
    const workspace = workspaces[n % workspaces.length] as string;
    const namespace = await rooms.open([workspace]);
    assert.equal(inJail(namespace, [workspace], `echo ${n} > ${n}`).status, 0);
    namespace.release();
  }
  assert.equal(possessions().descriptors, before.descriptors + 8);
  rooms.close();
  assert.deepEqual(possessions(), before);
});
