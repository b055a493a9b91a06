import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { type Identity, systemClock } from "@countersign/core/base";
import { userName } from "@countersign/core/host";
import { openSqliteStore } from "@countersign/store";
import { tempDirectory } from "../../../store/test/temp-store.ts";
import { Tokens } from "./tokens.ts";

const ALICE: Identity = { id: "bootstrap", role: "approver", name: "alice", sameUser: false, unattended: false };

test("only the whole token is known", async (t) => {
  const store = await openSqliteStore(join(tempDirectory(t), "db"));
  t.after(() => store.close());
  const tokens = await Tokens.load(store, systemClock, "the-whole-token");
  const person = { id: "bootstrap", role: "approver", name: userName(), sameUser: false, unattended: false };
  assert.deepEqual(tokens.identify("the-whole-token"), person);
  for (const guess of ["", "the-whole-toke", "the-whole-tokenx", "THE-WHOLE-TOKEN", "the-whole-token\n"]) {
    assert.equal(tokens.identify(guess), undefined);
  }
});

test("a token is shown once, kept as a hash, known after a restart, and unknown once revoked", async (t) => {
  const path = join(tempDirectory(t), "db");
  const store = await openSqliteStore(path);
  const tokens = await Tokens.load(store, systemClock, "bootstrap-token");
  const made = await tokens.create(
    { role: "agent", name: "codex", unattended: true },
    { by: ALICE, vouched: { level: "token" } },
  );
  assert.deepEqual({ ...made, id: "", token: "" }, { id: "", token: "", role: "agent", name: "codex" });
  assert.doesNotMatch(
    JSON.stringify([await store.tokens(), await tokens.list(), await store.ledger({ afterSeq: 0, limit: 9 })]),
    new RegExp(made.token),
  );
  await store.close();

  const reopened = await openSqliteStore(path);
  t.after(() => reopened.close());
  const again = await Tokens.load(reopened, systemClock, "bootstrap-token");
  const agent = { id: made.id, role: "agent", name: "codex", sameUser: false, unattended: true };
  assert.deepEqual(again.identify(made.token), agent);
  const cut: string[] = [];
  again.onRevoked((id) => cut.push(id));
  await again.revoke(made.id, ALICE);
  assert.deepEqual(cut, [made.id]);
  assert.equal(again.identify(made.token), undefined);
  await assert.rejects(again.revoke(made.id, ALICE), { code: "NOT_FOUND" });
  await assert.rejects(again.revoke("bootstrap", ALICE), { code: "INVALID_PARAMS" });
  const later = await Tokens.load(reopened, systemClock, "bootstrap-token");
  assert.equal(later.identify(made.token), undefined);
  const types = (await reopened.ledger({ afterSeq: 0, limit: 9 })).map((entry) => entry.type);
  assert.deepEqual(types, ["ledger-opened", "token-created", "token-revoked"]);
});
