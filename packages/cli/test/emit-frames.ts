import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";

/** Sends frames, and waits until all of them are on record. */
export async function emitFrames(place: { readonly home: string }, ...frames: readonly object[]): Promise<void> {
  const socket = connect(join(place.home, "run", "recorder.sock"));
  const common = {
    v: "1",
    ts_emit: "2026-01-02T03:04:05Z",
    session_id: "one",
    tool: { name: "t" },
    decision: "allowed",
  };
  const bytes = frames.map((frame) => Buffer.from(JSON.stringify({ ...common, ack: true, ...frame })));
  const header = (length: number) => {
    const four = Buffer.alloc(4);
    four.writeUInt32BE(length);
    return four;
  };
  socket.write(Buffer.concat(bytes.flatMap((each) => [header(each.length), each])));
  let received = Buffer.alloc(0);
  for (let answers = 0; answers < frames.length; ) {
    const [chunk] = (await once(socket, "data")) as [Buffer];
    received = Buffer.concat([received, chunk]);
    for (; received.length >= 4 && received.length >= 4 + received.readUInt32BE(0); answers += 1) {
      const end = 4 + received.readUInt32BE(0);
      assert.match(received.subarray(4, end).toString(), /"seq"/);
      received = received.subarray(end);
    }
  }
  socket.destroy();
}

export function frameOfSandbox(sandbox_id: string, action_type: string, more: object = {}): object {
  return { channel: "opensandbox_execd", action_type, binding: { sandbox_id }, ...more };
}
