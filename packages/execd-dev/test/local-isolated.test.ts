import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readlinkSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { Isolator } from "../src/isolated/isolator.ts";
import { unjailed } from "../src/processes/start-unjailed.ts";
import { type LocalExecdOptions, startLocalExecd } from "../src/start-local-execd.ts";
import { plainIsolator } from "./plain-isolator.ts";

// What the SDK has no way to ask for, and what an execd says that has no isolator, or one that fails.

async function open(t: TestContext, more: (directory: string) => Partial<LocalExecdOptions>) {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "countersign-isolated-")));
  const execd = await startLocalExecd({ port: 0, directory, ...more(directory) });
  t.after(async () => {
    await execd.close();
    rmSync(directory, { recursive: true });
  });
  return async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${execd.url}/v1/isolated${path}`, {
      method,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    return { status: answer.status, text, json: text.startsWith("{") ? JSON.parse(text.split("\n\n")[0] ?? "") : {} };
  };
}

test("without an isolator there are no isolated sessions, and it says so", async (t) => {
  const ask = await open(t, () => ({}));
  const { available, commit_supported, diff_supported } = (await ask("GET", "/capabilities")).json;
  assert.deepEqual([available, commit_supported, diff_supported], [false, false, false]);
  assert.deepEqual((await ask("GET", "/sessions")).json, { sessions: [] });
  const refused = await ask("POST", "/session", { workspace: { path: "." } });
  assert.deepEqual([refused.status, refused.json.code], [503, "NOT_SUPPORTED"]);
  for (const [method, path] of [
    ["GET", "/session/x"],
    ["DELETE", "/session/x"],
    ["POST", "/session/x/run"],
  ] as const) {
    const missing = await ask(method, path);
    assert.deepEqual([missing.status, missing.json.code], [404, "CONTEXT_NOT_FOUND"], path);
  }
});

test("so many sessions, and no more; one that is deleted makes room", async (t) => {
  const ask = await open(t, (directory) => ({
    isolator: plainIsolator(directory),
    limits: { maxIsolatedSessions: 2 },
  }));
  const make = () => ask("POST", "/session", { workspace: { path: "." } });
  const [first, second, third] = await Promise.all([make(), make(), make()]);
  assert.deepEqual([first, second, third].map(({ status }) => status).sort(), [201, 201, 429]);
  const { sessions } = (await ask("GET", "/sessions")).json;
  assert.equal(sessions.length, 2);
  assert.equal((await ask("DELETE", `/session/${sessions[0].session_id}`)).status, 200);
  assert.equal((await make()).status, 201);
});

test("diff, commit and runs in the background aren't there", async (t) => {
  const ask = await open(t, (directory) => ({ isolator: plainIsolator(directory) }));
  const { session_id: id } = (await ask("POST", "/session", { workspace: { path: "." } })).json;
  for (const answer of [
    await ask("GET", `/session/${id}/diff`),
    await ask("POST", `/session/${id}/commit`),
    await ask("POST", `/session/${id}/run`, { code: "true", background: true }),
  ])
    assert.deepEqual([answer.status, answer.json.code], [503, "NOT_SUPPORTED"]);
  const nothing = await ask("POST", `/session/${id}/run`, {});
  assert.deepEqual([nothing.status, nothing.json.code], [400, "INVALID_REQUEST_BODY"]);
});

test("a session that is deleted ends what runs in it", async (t) => {
  const ask = await open(t, (directory) => ({ isolator: plainIsolator(directory) }));
  const { session_id: id } = (await ask("POST", "/session", { workspace: { path: "." } })).json;
  const running = ask("POST", `/session/${id}/run`, { code: "echo > begun; sleep 600" });
  while ((await ask("GET", `/session/${id}/files/info?path=begun`)).status !== 200);
  assert.equal((await ask("DELETE", `/session/${id}`)).status, 200);
  assert.match((await running).text, /"evalue":"-1"/);
});

test("a jail that can't be made is no session", async (t) => {
  const broken = (directory: string): Isolator => ({
    ...plainIsolator(directory),
    open: () => Promise.reject(new Error("no jail can be built here")),
  });
  const ask = await open(t, (directory) => ({ isolator: broken(directory) }));
  const refused = await ask("POST", "/session", { workspace: { path: "." } });
  assert.deepEqual([refused.status, refused.json.code], [503, "NOT_SUPPORTED"]);
  assert.match(refused.json.message, /no jail can be built here/);
  assert.deepEqual((await ask("GET", "/sessions")).json, { sessions: [] });
});

test("a session that can't be begun gives its jail back", async (t) => {
  let closed = 0;
  const ask = await open(t, (directory) => ({
    isolator: {
      ...plainIsolator(directory),
      open: async () => ({
        ...{ workspace: directory, roots: [{ shown: directory, directory: join(directory, "gone") }] },
        ...{ starter: unjailed, env: {} },
        close: async () => {
          closed += 1;
        },
      }),
    },
  }));
  assert.equal((await ask("POST", "/session", { workspace: { path: "." } })).status, 500);
  assert.equal(closed, 1);
});

test("a session that is deleted ends the calls about its files, before its jail is given back", async (t) => {
  const openIn = (path: string) => {
    const isOpen = (fd: string) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`) === path;
      } catch {
        return false;
      }
    };
    return readdirSync("/proc/self/fd").filter(isOpen).length;
  };
  const left: number[] = [];
  let big = "";
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "countersign-isolated-")));
  const plain = plainIsolator(directory);
  const execd = await startLocalExecd({
    ...{ port: 0, directory },
    isolator: {
      ...plain,
      open: async (wish) => ({ ...(await plain.open(wish)), close: async () => void left.push(openIn(big)) }),
    },
  });
  t.after(async () => {
    await execd.close();
    rmSync(directory, { recursive: true });
  });
  big = join(directory, "big");
  writeFileSync(big, Buffer.alloc(64 * 1024 * 1024));
  const at = `${execd.url}/v1/isolated/session`;
  const made = await fetch(at, { method: "POST", body: JSON.stringify({ workspace: { path: "." } }) });
  const { session_id: id } = (await made.json()) as { session_id: string };
  // Nobody reads it.
  const reading = await fetch(`${at}/${id}/files/download?path=big`);
  assert.equal(openIn(big), 1);
  assert.equal((await fetch(`${at}/${id}`, { method: "DELETE" })).status, 200);
  assert.deepEqual(left, [0]);
  await assert.rejects(reading.arrayBuffer());
});

test("one that can't be ended as it should keeps no other from its end, nor the server", async (t) => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "countersign-isolated-")));
  t.after(() => rmSync(directory, { recursive: true }));
  const plain = plainIsolator(directory);
  const [bugs, slow] = [[] as unknown[], Promise.withResolvers<void>()];
  const broken = new Error("broken");
  let ended = 0;
  const ends = [
    () => Promise.reject(broken),
    async () => {
      await slow.promise;
      ended += 1;
    },
  ];
  const execd = await startLocalExecd({
    ...{ port: 0, directory },
    isolator: { ...plain, open: async (wish) => ({ ...(await plain.open(wish)), close: ends.shift() ?? assert.fail }) },
    onBug: (cause) => {
      bugs.push(cause);
    },
  });
  for (const _ of [1, 2]) {
    const body = JSON.stringify({ workspace: { path: "." } });
    assert.equal((await fetch(`${execd.url}/v1/isolated/session`, { method: "POST", body })).status, 201);
  }
  const closed = execd.close().then(() => assert.equal(ended, 1));
  setImmediate(() => slow.resolve());
  await closed;
  assert.deepEqual(bugs, [broken]);
  await assert.rejects(fetch(execd.url));
});

test("what is being made or started when it ends isn't left behind", async () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "countersign-isolated-")));
  const plain = plainIsolator(directory);
  const said: string[] = [];
  const [begun, starts] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isSlow = false;
  const execd = await startLocalExecd({
    ...{ port: 0, directory },
    isolator: {
      ...plain,
      open: async (wish) => {
        if (isSlow) {
          begun.resolve();
          await setTimeout(200);
        }
        return {
          ...(await plain.open(wish)),
          starter: {
            async start(request) {
              starts.resolve();
              await setTimeout(200);
              said.push("started");
              return await unjailed.start(request);
            },
          },
          close: async () => void said.push("closed"),
        };
      },
    },
  });
  const at = `${execd.url}/v1/isolated/session`;
  const make = () => fetch(at, { method: "POST", body: JSON.stringify({ workspace: { path: "." } }) });
  const { session_id: id } = (await (await make()).json()) as { session_id: string };
  const running = fetch(`${at}/${id}/run`, { method: "POST", body: '{"code":"sleep 600"}' }).then((run) => run.text());
  await starts.promise;
  assert.equal((await fetch(`${at}/${id}`, { method: "DELETE" })).status, 200);
  assert.deepEqual(said, ["started", "closed"]);
  await running;
  isSlow = true;
  const making = make().catch(() => undefined);
  await begun.promise;
  await execd.close();
  assert.deepEqual(said, ["started", "closed", "closed"]);
  await making;
  rmSync(directory, { recursive: true });
});
