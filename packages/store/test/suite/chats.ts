import assert from "node:assert/strict";
import type { ChatRecord, MessageRecord } from "../../src/contract/records.ts";
import type { Scenario } from "./opened.ts";
import { failsWith, keep, refused } from "./samples.ts";

function chat(set: Partial<ChatRecord> = {}): ChatRecord {
  return { sessionId: "s1", agent: "assistant", proposer: "assistant", unattended: false, ...set };
}

function message(seq: number, set: Partial<MessageRecord> = {}): MessageRecord {
  return { sessionId: "s1", seq, runId: "r1", atMs: 1_000 + seq, body: { role: "user", text: `no. ${seq}` }, ...set };
}

export function chatScenarios(scenario: Scenario): void {
  scenario("who answers in a session is said once", async (store) => {
    assert.equal(await store.chat("s1"), null);
    await keep(store, { op: "open-chat", chat: chat() }, { op: "open-chat", chat: chat({ agent: "other" }) });
    await keep(store, { op: "open-chat", chat: chat({ sessionId: "s2", proposer: "codex", unattended: true }) });
    assert.deepEqual(await store.chat("s1"), chat());
    assert.deepEqual(await store.chat("s2"), chat({ sessionId: "s2", proposer: "codex", unattended: true }));
  });

  scenario("chats come by when they were last used, of one owner or of all", async (store) => {
    assert.deepEqual(await store.chats({ limit: 10 }), []);
    const begun = (id: string, ownerId: string, createdAtMs: number) => [
      { op: "claim-session", session: { id, ownerId, agentName: "a", createdAtMs } } as const,
      { op: "open-chat", chat: chat({ sessionId: id }) } as const,
    ];
    await keep(store, ...begun("s1", "o1", 10), ...begun("s2", "o1", 20), ...begun("s3", "o2", 30));
    // One in which nobody talks isn't a chat.
    await keep(store, { op: "claim-session", session: { id: "s4", ownerId: "o1", agentName: "a", createdAtMs: 90 } });
    await keep(store, { op: "insert-message", message: message(1, { atMs: 40 }) });
    await keep(store, { op: "insert-message", message: message(2, { atMs: 50 }) });
    const s1 = { ...chat(), createdAtMs: 10, lastAtMs: 50 };
    const s2 = { ...chat({ sessionId: "s2" }), createdAtMs: 20, lastAtMs: 20 };
    const s3 = { ...chat({ sessionId: "s3" }), createdAtMs: 30, lastAtMs: 30 };
    assert.deepEqual(await store.chats({ limit: 10 }), [s1, s3, s2]);
    assert.deepEqual(await store.chats({ ownerId: "o1", limit: 10 }), [s1, s2]);
    assert.deepEqual(await store.chats({ limit: 1 }), [s1]);
    await assert.rejects(store.chats({ limit: 0 }), failsWith("INVALID"));
  });

  scenario("messages come newest first, in pages, each session's own", async (store) => {
    assert.deepEqual(await store.messages({ sessionId: "s1", limit: 10 }), []);
    const all = [1, 2, 3, 4].map((seq) => message(seq));
    await keep(store, ...all.map((each) => ({ op: "insert-message", message: each }) as const));
    await keep(store, { op: "insert-message", message: message(1, { sessionId: "s2", body: { text: "\u0000 ok" } }) });
    assert.deepEqual(await store.messages({ sessionId: "s1", limit: 10 }), [...all].reverse());
    assert.deepEqual(await store.messages({ sessionId: "s1", before: 3, limit: 1 }), [all[1]]);
    const [other] = await store.messages({ sessionId: "s2", limit: 1 });
    assert.deepEqual(other?.body, { text: "\u0000 ok" });
    await assert.rejects(store.messages({ sessionId: "s1", limit: 0 }), failsWith("INVALID"));
  });

  scenario("a number is taken once, and nothing of that commit is kept", async (store) => {
    await keep(store, { op: "insert-message", message: message(1) });
    const again = message(1, { body: { text: "another" } });
    const writes = [{ op: "open-chat", chat: chat() } as const, { op: "insert-message", message: again } as const];
    assert.deepEqual(await store.commit(writes), refused("MESSAGE_EXISTS", 1));
    assert.deepEqual(await store.messages({ sessionId: "s1", limit: 2 }), [message(1)]);
    assert.equal(await store.chat("s1"), null);
  });
}
