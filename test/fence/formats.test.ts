import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { openSqliteStore, saltedHash, saltedProposalHash } from "@countersign/store";
import { bindingHash } from "../../packages/hub/src/proposals/binding.ts";
import { hashProposal } from "../../packages/hub/src/proposals/proposal.ts";
import { openServer } from "../../packages/hub/test/support/open-server.ts";
import { assertFrozen } from "./frozen.ts";

test("the OpenAPI file is the frozen one", async (t) => {
  const server = await openServer(t);
  const { body } = await server.api("GET", "/api/v1/openapi.json");
  assertFrozen("openapi.json", `${JSON.stringify(body, null, 1)}\n`);
});

test("a new database has the frozen schema", async () => {
  const scratch = mkdtempSync(join(tmpdir(), "countersign-schema-"));
  try {
    const file = join(scratch, "countersign.db");
    await (await openSqliteStore(file)).close();
    const database = new DatabaseSync(file, { readOnly: true });
    const rows = database.prepare("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type, name").all();
    const version = database.prepare("PRAGMA user_version").get()?.user_version;
    database.close();
    assertFrozen("schema.sql", `-- user_version ${version}\n${rows.map(({ sql }) => `${sql};\n`).join("")}`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
});

const COMMANDS = [
  "ls",
  "rm -rf build && npm test",
  "echo 'ünïcödé' \u2028 | tee \"a b\"",
  "mcp:github create_issue {}",
];
const SALT = "c2FsdA";

test("proposals and bindings have their frozen hashes", () => {
  const rows = COMMANDS.flatMap((command) => {
    const proposal = { command, cwd: "/home/me/project", env: { LANG: "C", B: "", A: "\u0000" } };
    const binding = {
      command,
      cwd: proposal.cwd,
      env: `sha256:${"0e".repeat(32)}`,
      programs: { "/usr/bin/bash": "ab".repeat(32), "/usr/bin/ls": "cd".repeat(32) },
      code: { "/home/me/project/package.json": "ef".repeat(32) },
      jail: "workspace",
      policyVersion: `sha256:${"1f".repeat(32)}`,
    } as const;
    const hash = hashProposal(proposal);
    return [hash, saltedProposalHash(hash, SALT), saltedHash(command, SALT), saltedHash(command, undefined)].concat(
      bindingHash(binding, SALT),
      bindingHash(binding, undefined),
    );
  });
  assertFrozen("hashes.txt", rows.map((row) => `${row}\n`).join(""));
});
