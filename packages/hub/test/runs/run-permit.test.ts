import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { Attachment } from "@countersign/jail";
import { CLAUDE, permitFor, recorded, runClaim, serveClaims, shellEnd, startClaim } from "../support/claimed-run.ts";
import { eventually, scratch } from "../support/serve-fixture.ts";

const SHELLS = ["/bin/bash", "/bin/dash", "/bin/zsh"].filter((path) => existsSync(path));

test("a rewritten command does what the command would have done in the agent's shell", async (t) => {
  const server = await serveClaims(t);
  if (server.served.noJail !== undefined) return t.skip(server.served.noJail);
  const { workspace } = server;
  const run = async (command: string, options?: Parameters<typeof runClaim>[2]) =>
    await runClaim(server, await permitFor(server, command), options);

  await t.test("stdout and stderr apart, and the exit code", async () => {
    const end = await run("echo out; echo err >&2; exit 3");
    assert.deepEqual(end, { code: 3, signal: null, stdout: "out\n", stderr: "err\n" });
    assert.equal((await run("kill -9 $$")).code, 137);
  });

  await t.test("more than the hub keeps, all of it", async () => {
    const { stdout, code } = await run("seq 1 600000");
    assert.equal(code, 0);
    assert.equal(stdout, Array.from({ length: 600_000 }, (_, at) => `${at + 1}\n`).join(""));
  });

  await t.test("what it is given to read, also in pieces larger than one", async () => {
    const child = startClaim(server, await permitFor(server, "wc -c; echo after"), { input: true });
    child.stdin?.end("x".repeat(300_000));
    assert.deepEqual((await shellEnd(child)).stdout, "300000\nafter\n");
    // One that doesn't read it ends all the same.
    const other = startClaim(server, await permitFor(server, "echo unread"), { input: true });
    assert.equal((await shellEnd(other)).stdout, "unread\n");
  });

  await t.test("its secrets stay behind, as from everything that agents are told", async () => {
    writeFileSync(join(workspace, "notes.txt"), `before ghp_${"a1B2".repeat(9)} after\n`);
    assert.equal((await run("cat notes.txt")).stdout, "before [REDACTED] after\n");
  });

  await t.test("without input it reads nothing", async () => {
    assert.deepEqual((await run("cat; echo end")).stdout, "end\n");
  });

  await t.test("the agent's shell stands where the command's stood, whatever that is called", async () => {
    const after = `; printf '%s %s' "$?" "$PWD"`;
    for (const name of ["plain", `it's "odd" $(id) \`id\` \\`, "line\nend\n", "-n", "ümläut"]) {
      const directory = join(realpathSync(workspace), name);
      mkdirSync(directory, { recursive: true });
      const quoted = directory.replaceAll("'", `'\\''`);
      for (const shell of SHELLS) {
        const { stdout, stderr } = await run(`cd '${quoted}'; false`, { shell: [shell], after });
        assert.deepEqual([stdout, stderr], [`1 ${directory}`, ""]);
      }
    }
    assert.equal((await run("cd /usr", { after })).stdout, "0 /usr");
    // What is in the jail's own /tmp is gone with it.
    assert.equal((await run("mkdir /tmp/private && cd /tmp/private", { after })).stdout, `0 ${workspace}`);
    assert.equal((await run("(cd /usr)", { after })).stdout, `0 ${workspace}`);
    assert.equal((await run("cd /usr; trap 'exit 4' EXIT", { after })).stdout, `4 ${workspace}`);
  });

  await t.test("nothing that the agent's environment holds gets into the runner", async () => {
    writeFileSync(join(workspace, "evil.cjs"), "console.log('loaded')");
    const before = `export NODE_OPTIONS='--require ${workspace}/evil.cjs'; unset TERM; set -u; `;
    for (const shell of SHELLS) {
      const { code, stdout, stderr } = await run("echo out", { shell: [shell], before });
      assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: "out\n", stderr: "" });
    }
  });

  await t.test("what it leaves in the background ends with it, and that is said", async () => {
    const { code, stdout, stderr } = await run("sleep 1000 & echo started");
    assert.deepEqual([code, stdout], [0, "started\n"]);
    assert.match(stderr, /^countersign: 1 background job was ended with the command/);
  });
});

test("a run waits for who claimed it, and loses nothing meanwhile; the record keeps its share", async (t) => {
  const server = await serveClaims(t);
  const { proposals } = server.served.hub;
  const attachment = new Attachment({ input: true });
  const permit = await permitFor(server, "head -c 5000000 /dev/zero | tr '\\0' x; cat >&2");
  const claimed = proposals.claim(permit.id, CLAUDE, { attachment, gone: new AbortController().signal });
  await eventually(() => attachment.whenTaken() !== undefined);
  let [stdout, stderr] = ["", ""];
  const read = (async () => {
    for await (const { stream, text } of attachment.texts()) {
      if (stream === "stdout") stdout += text;
      else stderr += text;
    }
  })();
  await attachment.give(Buffer.from("given"));
  await attachment.endInput();
  const outcome = await claimed;
  await read;
  assert.deepEqual([stdout.length, stderr], [5_000_000, "given"]);
  assert.deepEqual([outcome.kind, outcome.truncated], ["exited", true]);
  assert.deepEqual((await recorded(server))[1], { type: "started", input: "stream" });
});

test("whoever ends the runner ends the run", async (t) => {
  const server = await serveClaims(t);
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"] as const) {
    const child = startClaim(server, await permitFor(server, "echo started; sleep 1000"));
    const end = shellEnd(child);
    await once(child.stdout as NodeJS.ReadableStream, "data");
    assert.equal(server.served.hub.runs.list().length, 1);
    process.kill(-(child.pid as number), signal);
    await end;
    await eventually(() => server.served.hub.runs.list().length === 0);
  }
  const kinds = async () => (await recorded(server)).flatMap(({ kind }) => kind ?? []);
  assert.deepEqual(await kinds(), ["aborted", "aborted", "aborted", "aborted"]);
  // Nobody reads any more, as with `| head -1`.
  const child = startClaim(server, await permitFor(server, "yes"));
  await once(child.stdout as NodeJS.ReadableStream, "data");
  child.stdout?.destroy();
  await once(child, "close");
  await eventually(async () => (await kinds()).length === 5);
  assert.equal((await kinds())[4], "aborted");
});

test("what answers in a hub's place is believed in nothing, and never taken for success", async (t) => {
  const { homeDir, workspace } = scratch(t);
  mkdirSync(join(homeDir, "run"), { recursive: true });
  const words = [
    "",
    "{}\n",
    "no JSON\n",
    '{"ok":true}\n',
    '{"ok":true,"payload":{"exitCode":"0"}}\n',
    '{"ok":false}\n',
  ];
  const server = createServer((socket) => socket.end(words.shift() ?? ""));
  await new Promise<void>((resolve) => server.listen(join(homeDir, "run", "hub.sock"), resolve));
  t.after(() => server.close());
  while (words.length > 0) {
    const { code, stdout, stderr } = await runClaim(
      { homeDir, workspace },
      { id: "01890000-0000-7000-8000-000000000000" },
    );
    assert.deepEqual([code, stdout], [125, ""]);
    assert.match(stderr, /^countersign: (The hub ended before|What answered isn't a hub)/);
  }
});
