import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { frame, openEmitter, startRecording } from "../support/emitter-fixture.ts";
import { scratch } from "../support/serve-fixture.ts";

const VECTORS = new URL(
  "../../../../../shared/data/agent-receipts/cross-sdk-tests/emit_failure_vectors.json",
  import.meta.url,
);
const skip = existsSync(VECTORS) ? false : "the peer's vectors are beside the repository only where they are shared";

/** What an emitter goes by: these say that sending the same again won't help, the others that it may. */
const CALLERS_FAULT = new Set(["INVALID_FRAME", "UNKNOWN_VERSION", "RESERVED_TYPE", "RESERVED_CHANNEL"]);

/**
 * The cases are about the peer's emitters, which look at an event before they dial. Ours, in the relay and the observer, send
 * again whatever isn't answered; here it is the recorder's answer that tells the one from the other, so the second case has a listener.
 */
const CASES: Readonly<Record<string, (t: TestContext) => Promise<string>>> = {
  async dial_failure_unreachable_socket(t) {
    const socket = connect(join(scratch(t).dir, "nobody.sock"));
    const [error] = await once(socket, "error");
    return ["ENOENT", "ECONNREFUSED"].includes(error.code) ? "transport_error" : error.code;
  },
  async caller_bug_invalid_decision(t) {
    const s = await startRecording(t);
    const emitter = await openEmitter(t, s.path);
    emitter.send(frame({ ack: true, decision: "maybe" }));
    const [answer] = await emitter.answers(1);
    const code = answer?.error?.code ?? "success";
    return CALLERS_FAULT.has(code) ? "caller_error" : code;
  },
};

test("the peer's cases of failed emits: what may be tried again is told from what can't", { skip }, async (t) => {
  const { cases } = JSON.parse(readFileSync(VECTORS, "utf8")) as { cases: { name: string; expect: string }[] };
  assert.notEqual(cases.length, 0);
  for (const { name, expect } of cases) {
    const run = CASES[name];
    assert.ok(run, `a case that nobody handles: ${name}`);
    assert.equal(await run(t), expect, name);
  }
});
