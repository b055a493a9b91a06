import assert from "node:assert/strict";
import { isApiError, type SurfaceStep, texts, until } from "./surface.ts";

export const COMMANDS: readonly SurfaceStep[] = [
  {
    name: "command: foreground, both streams",
    async run({ sdk }) {
      const told: string[] = [];
      const execution = await sdk.commands.run("echo one; echo two >&2; echo three", undefined, {
        onInit: ({ id }) => void told.push(id === "" ? "no id" : "init"),
        onStdout: ({ text }) => void told.push(text),
        onExecutionComplete: () => void told.push("complete"),
      });
      assert.deepEqual(texts(execution.logs.stdout), ["one", "three"]);
      assert.deepEqual(texts(execution.logs.stderr), ["two"]);
      assert.equal(execution.exitCode, 0);
      assert.equal(execution.error, undefined);
      assert.deepEqual(told, ["init", "one", "three", "complete"]);
    },
  },
  {
    name: "command: exit code",
    async run({ sdk }) {
      const execution = await sdk.commands.run("echo before; exit 7");
      assert.equal(execution.exitCode, 7);
      assert.equal(execution.error?.name, "CommandExecError");
      assert.equal(execution.error?.value, "7");
      assert.deepEqual(execution.error?.traceback, ["exit status 7"]);
      assert.equal(execution.complete, undefined);
    },
  },
  {
    name: "command: directory and environment",
    async run(surface) {
      const directory = await surface.directory("command-place");
      const execution = await surface.sdk.commands.run('pwd; echo "$SURFACE_WORD"', {
        workingDirectory: directory,
        envs: { SURFACE_WORD: "a 'quoted' word" },
      });
      assert.deepEqual(texts(execution.logs.stdout), [directory, "a 'quoted' word"]);
    },
  },
  {
    name: "command: a user's number",
    async run({ sdk, target }) {
      const ran = await sdk.commands.run("id -u; id -g", { uid: 1234, gid: 77 });
      if (target.isJailed || process.getuid?.() === 0) return assert.deepEqual(texts(ran.logs.stdout), ["1234", "77"]);
      assert.deepEqual([ran.error?.name, texts(ran.logs.stdout)], ["CommandExecError", []]);
      assert.match(ran.error?.value ?? "", /operation not permitted/);
    },
  },
  {
    name: "command: a directory that isn't there",
    async run({ sdk, target }) {
      const workingDirectory = `${target.directory}/no-such-place`;
      await assert.rejects(sdk.commands.run("pwd", { workingDirectory }), isApiError(400, "INVALID_REQUEST_BODY"));
    },
  },
  {
    name: "command: timeout",
    async run({ sdk }) {
      const execution = await sdk.commands.run("echo begun; sleep 60", { timeoutSeconds: 2 });
      assert.deepEqual(texts(execution.logs.stdout), ["begun"]);
      assert.equal(execution.exitCode, -1);
      assert.equal(execution.error?.value, "-1");
    },
  },
  {
    name: "command: interrupt",
    async run({ sdk }) {
      const stops: Promise<void>[] = [];
      let running = "";
      const execution = await sdk.commands.run("echo begun; sleep 60 & wait", undefined, {
        onInit: ({ id }) => {
          running = id;
        },
        onStdout: () => void stops.push(sdk.commands.interrupt(running)),
      });
      await Promise.all(stops);
      assert.equal(stops.length, 1);
      assert.equal(execution.exitCode, -1);
    },
  },
  {
    name: "command: what doesn't run can't be interrupted",
    async run({ sdk }) {
      await assert.rejects(sdk.commands.interrupt("nobody"), isApiError(500, "RUNTIME_ERROR"));
    },
  },
  {
    name: "command: status of a foreground command",
    async run({ sdk }) {
      const execution = await sdk.commands.run("exit 3");
      const status = await sdk.commands.getCommandStatus(execution.id ?? "");
      assert.equal(status.id, execution.id);
      assert.equal(status.content, "exit 3");
      assert.equal(status.running, false);
      assert.equal(status.exitCode, 3);
      assert.equal(status.error, "exit status 3");
      assert.ok((status.finishedAt?.getTime() ?? 0) >= (status.startedAt?.getTime() ?? Number.POSITIVE_INFINITY));
    },
  },
  {
    name: "command: background, status and logs",
    async run({ sdk, target }) {
      const go = `${target.directory}/go-on`;
      const command = `echo one; echo two >&2; while [ ! -e ${go} ]; do sleep 0.05; done; echo three; exit 4`;
      const execution = await sdk.commands.run(command, { background: true });
      const id = execution.id ?? "";
      assert.notEqual(id, "");
      assert.ok(execution.complete);
      assert.equal(execution.exitCode, undefined);
      // They come by two ways, either of them first.
      const firstTwo = /^(?:one\ntwo\n|two\none\n)$/;
      const begun = await until(async () => {
        const { content } = await sdk.commands.getBackgroundCommandLogs(id);
        return firstTwo.test(content) ? content : undefined;
      });
      await sdk.commands.run(`touch ${go}`);
      const status = await until(async () => {
        const now = await sdk.commands.getCommandStatus(id);
        return now.running ? undefined : now;
      });
      assert.equal(status.exitCode, 4);
      assert.equal(status.content, command);
      const all = await sdk.commands.getBackgroundCommandLogs(id);
      assert.equal(all.content, `${begun}three\n`);
      const some = await sdk.commands.getBackgroundCommandLogs(id, 8);
      assert.deepEqual(some, { content: "three\n", cursor: all.cursor });
      assert.deepEqual(await sdk.commands.getBackgroundCommandLogs(id, all.cursor), {
        content: "",
        cursor: all.cursor,
      });
    },
  },
  {
    name: "command: background, interrupted",
    async run({ sdk }) {
      const { id = "" } = await sdk.commands.run("sleep 60", { background: true });
      const before = await sdk.commands.getCommandStatus(id);
      assert.equal(before.running, true);
      assert.equal(before.exitCode, null);
      await sdk.commands.interrupt(id);
      const after = await until(async () => {
        const now = await sdk.commands.getCommandStatus(id);
        return now.running ? undefined : now;
      });
      assert.equal(after.exitCode, -1);
    },
  },
  {
    name: "command: background, timeout",
    async run({ sdk }) {
      const { id = "" } = await sdk.commands.run("sleep 60", { background: true, timeoutSeconds: 0.2 });
      const after = await until(async () => {
        const now = await sdk.commands.getCommandStatus(id);
        return now.running ? undefined : now;
      });
      assert.equal(after.exitCode, -1);
    },
  },
  {
    name: "command: status and logs of what never was",
    async run({ sdk }) {
      await assert.rejects(sdk.commands.getCommandStatus("nobody"), isApiError(404, "INVALID_REQUEST_BODY"));
      await assert.rejects(sdk.commands.getBackgroundCommandLogs("nobody"), isApiError(400));
    },
  },
  {
    name: "command: the raw stream of events",
    async run({ sdk }) {
      const types: string[] = [];
      for await (const event of sdk.commands.runStream("printf 'a\\n\\nb'")) {
        types.push(event.type === "stdout" ? `stdout ${JSON.stringify(event.text)}` : `${event.type}`);
      }
      const told = types.filter((type) => type !== "ping");
      assert.deepEqual(told, ["init", 'stdout "a"', 'stdout "\\n"', 'stdout "b"', "execution_complete"]);
    },
  },
  {
    name: "command: goes on when the client leaves",
    async run(surface) {
      const directory = await surface.directory("command-left");
      const gone = new AbortController();
      const left = surface.sdk.commands.run(
        "echo begun; sleep 0.5; echo done > left.txt",
        { workingDirectory: directory },
        { onStdout: () => gone.abort() },
        gone.signal,
      );
      await assert.rejects(left);
      await until(async () => {
        const found = await surface.sdk.files.search({ path: directory, pattern: "left.txt" });
        return found.length === 1 && (found[0]?.size ?? 0) > 0 ? true : undefined;
      });
    },
  },
];
