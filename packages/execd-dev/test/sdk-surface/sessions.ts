import assert from "node:assert/strict";
import { isApiError, type SurfaceStep, texts } from "./surface.ts";

export const SESSIONS: readonly SurfaceStep[] = [
  {
    name: "session: keeps its directory and what it exports",
    async run(surface) {
      const { sdk } = surface;
      const directory = await surface.directory("session");
      const id = await sdk.commands.createSession({ workingDirectory: directory });
      await sdk.commands.runInSession(id, "mkdir -p inner && cd inner && export WORD='two\nlines'");
      const execution = await sdk.commands.runInSession(id, 'pwd; echo "$WORD"');
      assert.equal(execution.exitCode, 0);
      assert.deepEqual(texts(execution.logs.stdout), [`${directory}/inner`, "two", "lines"]);
      await sdk.commands.deleteSession(id);
      await assert.rejects(sdk.commands.runInSession(id, "pwd"), isApiError(404, "CONTEXT_NOT_FOUND"));
    },
  },
  {
    name: "session: exit codes, standard error, a directory for one run",
    async run(surface) {
      const { sdk } = surface;
      const directory = await surface.directory("session-codes");
      const id = await sdk.commands.createSession();
      const failed = await sdk.commands.runInSession(id, "echo oops >&2; false");
      assert.equal(failed.exitCode, 1);
      assert.deepEqual(texts(failed.logs.stderr), ["oops"]);
      const elsewhere = await sdk.commands.runInSession(id, "pwd", { workingDirectory: directory });
      assert.deepEqual(texts(elsewhere.logs.stdout), [directory]);
      await sdk.commands.deleteSession(id);
    },
  },
  {
    name: "session: timeout",
    async run({ sdk }) {
      const id = await sdk.commands.createSession();
      const execution = await sdk.commands.runInSession(id, "sleep 60", { timeoutSeconds: 1 });
      // What comes too late for a status stands in the body, where the SDK knows no such event.
      assert.equal(execution.exitCode, null);
      assert.equal(execution.complete, undefined);
      const after = await sdk.commands.runInSession(id, "echo still here");
      assert.deepEqual(texts(after.logs.stdout), ["still here"]);
      await sdk.commands.deleteSession(id);
    },
  },
  {
    name: "session: one that isn't there",
    async run({ sdk }) {
      await assert.rejects(sdk.commands.deleteSession("nobody"), isApiError(404, "CONTEXT_NOT_FOUND"));
    },
  },
];
