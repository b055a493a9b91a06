import assert from "node:assert/strict";
import { test } from "node:test";
import { CardMemory } from "./card-memory.ts";

test("CardMemory keeps the drafts of a card until it is settled", () => {
  const memory = new CardMemory();
  memory.keepDraft("a", { command: "touch right" });
  memory.keepDraft("a", { reason: "not now" });
  memory.keepDraft("b", { reason: "" });
  assert.deepEqual(memory.drafts("a"), { command: "touch right", reason: "not now" });
  memory.forgetDrafts((id) => id === "a");
  assert.deepEqual([memory.drafts("a"), memory.drafts("b")], [{}, { reason: "" }]);
});

test("CardMemory keeps the drafts that were edited last", () => {
  const memory = new CardMemory();
  for (let n = 0; n < 50; n += 1) memory.keepDraft(`${n}`, { reason: `${n}` });
  memory.keepDraft("0", { reason: "again" });
  memory.keepDraft("50", { reason: "50" });
  assert.deepEqual(
    ["0", "1", "2", "50"].map((id) => memory.drafts(id).reason),
    ["again", undefined, "2", "50"],
  );
});
