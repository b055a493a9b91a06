import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { DEFAULT_LIMITS, type Limits, silentLog, systemClock } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import { filterSecrets } from "@countersign/core/redaction";
import type { ChatEvent } from "@countersign/protocol/hub";
import { Chats } from "../../src/agent/chats.ts";
import { openModel } from "../../src/agent/providers/open-model.ts";
import { type Answer, beginStream, type Format, type ModelServer, openModelServer } from "../support/model-server.ts";
import { ALICE, openHub, type TestHub } from "../support/open-hub.ts";
import { eventually } from "../support/serve-fixture.ts";

const KEY = "test-key-0123456789-abcdefghij";
/** Which format each kind of provider speaks. */
const KINDS: Record<string, Format> = { anthropic: "anthropic", openai: "openai", "openai-compatible": "openai" };

interface Talk extends TestHub {
  readonly server: ModelServer;
  readonly events: ChatEvent[];
  talk(message: string): Promise<ChatEvent>;
  abort(): Promise<unknown>;
}

/** Left behind by somebody's promise: a hub ends itself for one. */
const stray: unknown[] = [];
process.on("unhandledRejection", (cause) => stray.push(cause));

async function openTalk(t: TestContext, kind: string, answers: Answer[], limits: Partial<Limits> = {}): Promise<Talk> {
  const server = await openModelServer(t, KINDS[kind] as Format, ...answers);
  const providers = { test: { kind, baseURL: server.baseURL, keyEnv: "TEST_KEY" } };
  const agents = { assistant: { model: "test/some-model", profile: "default" } };
  const hub = await openHub(t, { config: { providers, agents }, profile: { security: "full", ask: "off" } });
  const rooms = { clock: systemClock, limits: { ...DEFAULT_LIMITS, ...limits }, log: silentLog };
  const modelRooms = {
    ...rooms,
    keysDir: hub.home.keys,
    env: { TEST_KEY: KEY },
    providers: () => hub.hub.config.providers,
  };
  const chats = new Chats({
    ...rooms,
    hub: hub.hub,
    store: hub.store,
    openModel: (name) => openModel(name, modelRooms),
  });
  const { sessionKey } = await chats.create(ALICE, {});
  const events: ChatEvent[] = [];
  let ended = (_: ChatEvent) => undefined as undefined;
  chats.listen(sessionKey, (event) => {
    events.push(event);
    if (event.event === "chat.final" || event.event === "chat.error") ended(event);
  });
  const talk = (message: string) =>
    new Promise<ChatEvent>((resolve, reject) => {
      ended = (event) => resolve(event) as undefined;
      chats.send(ALICE, { sessionKey, message }).catch(reject);
    });
  return Object.assign(hub, { server, events, talk, abort: () => chats.abort(ALICE, { sessionKey }) });
}

const texts = (events: readonly ChatEvent[]) =>
  events.flatMap((one) => (one.event === "chat.delta" ? [one.data.text] : [])).join("");
const codeOf = (last: ChatEvent) => (last.event === "chat.error" ? last.data.code : last.event);

const status =
  (code: number, headers: Record<string, string> = {}, body = `{"error":{"type":"x","message":"not now"}}`): Answer =>
  (response) => {
    response.writeHead(code, { "content-type": "application/json", ...headers });
    response.end(body);
  };

interface GivenBack {
  readonly calls: { readonly id: string; readonly name: string; readonly input: unknown }[];
  /** The ids of calls, in the order of their results. */
  readonly answered: string[];
  /** Texts of the model's that stand alone. */
  readonly said: string[];
}

/** What a request says of the model's earlier turns, in either format. */
// biome-ignore lint/suspicious/noExplicitAny: what was sent is what is looked at
function givenBack({ messages }: any): GivenBack {
  const calls: GivenBack["calls"] = [];
  const answered: string[] = [];
  const said: string[] = [];
  for (const { role, content, tool_calls = [], tool_call_id } of messages) {
    if (role === "tool") answered.push(tool_call_id);
    for (const { id, function: called } of tool_calls) {
      calls.push({ id, name: called.name, input: JSON.parse(called.arguments) });
    }
    if (role === "assistant" && typeof content === "string" && tool_calls.length === 0) said.push(content);
    for (const block of Array.isArray(content) ? content : []) {
      if (block.type === "tool_use") calls.push(block);
      if (block.type === "tool_result") answered.push(block.tool_use_id);
      if (block.type === "text" && role === "assistant") said.push(block.text);
    }
  }
  return { calls, answered, said };
}

for (const kind of Object.keys(KINDS)) {
  test(`${kind}: streamed text and calls, several in one turn, with their results given back`, async (t) => {
    const calls = [
      { id: "call_1", name: "bash", input: ['{"comm', 'and":"echo o', 'ne"}'] },
      { id: "call_2", name: "bash", input: ['{"command":"echo two"}'] },
    ];
    const { talk, events, server } = await openTalk(t, kind, [
      { text: ["Let me ", "see.\n"], calls },
      { text: ["Both ", "ran.\n"] },
    ]);
    const last = await talk("go");
    assert.ok(last.event === "chat.final" && last.data.stop === "stop", JSON.stringify(last));
    assert.deepEqual(last.data.usage, { inputTokens: 20, outputTokens: 4, totalTokens: 24 });
    assert.equal(texts(events), "Let me see.\nBoth ran.\n");
    const results = events.flatMap((one) => (one.event === "chat.tool_result" ? [one.data] : []));
    assert.deepEqual(
      results.map(({ callId, text }) => [callId, text]),
      [
        ["call_1", "one\n"],
        ["call_2", "two\n"],
      ],
    );
    const [first, second] = server.asked;
    assert.match(first?.path ?? "", kind === "anthropic" ? /^\/v1\/messages$/ : /^\/v1\/chat\/completions$/);
    assert.match(JSON.stringify(first?.headers), new RegExp(KEY));
    assert.match(JSON.stringify(first?.body.tools), /"bash"/);
    const sent = JSON.stringify(second?.body.messages);
    for (const part of ["call_1", "call_2", "one\\\\n", "two\\\\n", "Let me see"]) assert.match(sent, new RegExp(part));
    assert.doesNotMatch(JSON.stringify(second?.body), new RegExp(KEY));
  });

  test(`${kind}: malformed input for a tool is told to the model, which mends it`, async (t) => {
    const call = (input: string) => ({ calls: [{ id: "call_1", name: "bash", input: [input] }] });
    const { talk, server } = await openTalk(t, kind, [call('{"command": "echo'), call('{"command":"echo ok"}')]);
    assert.equal((await talk("go")).event, "chat.final");
    assert.match(JSON.stringify(server.asked[1]?.body), /The input isn't valid JSON/);
    assert.match(JSON.stringify(server.asked[2]?.body), /ok\\n/);
  });

  test(`${kind}: what no provider takes back isn't given back, so the session isn't lost by it`, async (t) => {
    const call = (name: string, input = "{}", id = "functions.bash:0") => ({ id, name, input: [input] });
    const { talk, server } = await openTalk(t, kind, [
      { calls: [call("bash", "[1]"), call("bash", '{"command":"echo two"}'), call("do it, please\u001b")] },
      { text: [" \n"] },
      { calls: [call("bash", '{"command":"echo again"}')] },
    ]);
    for (const message of ["one", "two", "three"]) assert.equal((await talk(message)).event, "chat.final");
    const { calls, answered, said } = givenBack(server.asked.at(-1)?.body);
    assert.equal(calls.length, 4);
    assert.equal(new Set(calls.map(({ id }) => id)).size, 4);
    assert.deepEqual(
      answered,
      calls.map(({ id }) => id),
    );
    for (const { id, name, input } of calls) {
      assert.match(`${id} ${name}`, /^[A-Za-z0-9_-]{1,64} [A-Za-z0-9_-]{1,64}$/);
      assert.ok(typeof input === "object" && input !== null && !Array.isArray(input), JSON.stringify(input));
    }
    for (const text of said) assert.notEqual(text.trim(), "");
  });

  test(`${kind}: 429 with retry-after and 5xx are tried again, a few times`, async (t) => {
    const soon = { "retry-after-ms": "1" };
    const slow = await openTalk(t, kind, [
      status(429, { "retry-after": "0" }),
      status(503, soon),
      { text: ["Here.\n"] },
    ]);
    assert.equal((await slow.talk("go")).event, "chat.final");
    assert.equal(slow.server.asked.length, 3);
  });

  test(`${kind}: what goes on failing is told for what it is, and the session goes on`, async (t) => {
    const never = { modelRetries: 0 };
    const cut: Answer = (response, say) => {
      beginStream(response);
      response.write(
        say({ text: ["I was ab", "out to"] })
          .slice(0, 3)
          .join(""),
      );
      setImmediate(() => response.socket?.destroy());
    };
    const endsEarly: Answer = (response, say) => {
      beginStream(response);
      response.end(
        say({ text: ["I was ab", "out"] })
          .slice(0, 3)
          .join(""),
      );
    };
    const garbage: Answer = (response) => {
      beginStream(response);
      response.end("data: {nonsense\n\n");
    };
    const hangs: Answer = () => undefined;
    const hangsLater: Answer = (response, say) => {
      beginStream(response);
      response.write(
        say({ text: ["Wait\n"] })
          .slice(0, 3)
          .join(""),
      );
    };
    const endless: Answer = (response) => {
      beginStream(response);
      const more = () => response.destroyed || response.write("x".repeat(64 * 1024), () => setImmediate(more));
      more();
    };
    const elsewhere: Answer = (response) => {
      response.writeHead(307, { location: "http://127.0.0.1:9/v1/messages" });
      response.end();
    };
    const table: [string, Answer, string][] = [
      ["rate limited", status(429, { "retry-after": "3600" }), "MODEL_RATE_LIMITED"],
      ["failing", status(500), "MODEL_FAILED"],
      ["a wrong key", status(401, {}, `{"error":{"message":"bad key ${KEY}"}}`), "MODEL_REFUSED"],
      ["an unknown model", status(404), "MODEL_REFUSED"],
      ["cut in the middle", cut, "MODEL_CUT"],
      ["ended without an end", endsEarly, "MODEL_CUT"],
      ["garbage", garbage, "MODEL_BAD_ANSWER"],
      ["endless", endless, "LIMIT"],
      ["redirected", elsewhere, "MODEL_UNREACHABLE"],
      ["too long", { text: ["And so"], stop: "length" }, "chat.final"],
    ];
    const limits = { ...never, modelBytes: 512 * 1024 };
    const { talk, events } = await openTalk(
      t,
      kind,
      table.map(([, answer]) => answer),
      limits,
    );
    for (const [name, , code] of table) {
      const last = await talk(name);
      assert.equal(codeOf(last), code, `${name}: ${JSON.stringify(last)}`);
    }
    assert.equal((await talk("still there?")).event, "chat.final");
    // Only these are waited for: the others answer when they can.
    const impatient = await openTalk(t, kind, [hangs, hangsLater], { ...never, modelIdleMs: 400 });
    for (const name of ["hanging", "hanging later"])
      assert.equal(codeOf(await impatient.talk(name)), "MODEL_TIMED_OUT", name);
    assert.deepEqual(stray, []);
    assert.doesNotMatch(JSON.stringify(events), new RegExp(KEY));
  });
}

for (const kind of Object.keys(KINDS)) {
  test(`${kind}: an abort closes the connection to the model, before and while it answers`, async (t) => {
    const closed: Promise<void>[] = [];
    const whenClosed = (response: ServerResponse) => {
      closed.push(new Promise((resolve) => response.once("close", resolve)));
    };
    const silent: Answer = whenClosed;
    const speaking: Answer = (response, say) => {
      whenClosed(response);
      beginStream(response);
      response.write(
        say({ text: ["I begin\n", "x"] })
          .slice(0, 3)
          .join(""),
      );
    };
    const { talk, abort, events } = await openTalk(t, kind, [silent, speaking]);
    for (const [index, begun] of [() => closed.length === 1, () => texts(events) === "I begin\n"].entries()) {
      const ended = talk("go");
      await eventually(begun);
      await abort();
      const last = await ended;
      assert.ok(last.event === "chat.final" && last.data.stop === "aborted", JSON.stringify(last));
      await closed[index];
    }
    assert.equal((await talk("and now?")).event, "chat.final");
    assert.deepEqual(stray, []);
  });
}

test("no silent fall-back: a server that is gone is unreachable, and nothing else is asked", async (t) => {
  const other = await openModelServer(t, "openai");
  process.env.OPENAI_BASE_URL = other.baseURL;
  t.after(() => delete process.env.OPENAI_BASE_URL);
  const gone: Answer = (response) => void response.socket?.destroy();
  const { talk, server } = await openTalk(t, "openai", [gone, gone], { modelRetries: 1, modelRetryMs: 5_000 });
  assert.equal(codeOf(await talk("hello")), "MODEL_UNREACHABLE");
  assert.deepEqual([server.asked.length, other.asked.length], [2, 0]);
});

test("keys: from the environment or a private file, never sent in clear, and hidden from then on", async (t) => {
  const hub = await openHub(t);
  const env: Record<string, string> = {};
  const rooms = { clock: systemClock, limits: DEFAULT_LIMITS, keysDir: hub.home.keys, env };
  const providers = {
    far: { kind: "openai-compatible", baseURL: "http://models.example/v1", keyEnv: "FAR_KEY" },
    near: { kind: "anthropic", baseURL: "http://127.0.0.1:1/v1", keyEnv: "NEAR_KEY" },
  } as const;
  const open = (name: string) => openModel(name, { ...rooms, providers: () => providers });
  const refused = (code: string, words: RegExp) => (error: unknown) =>
    error instanceof HubError && error.code === code && words.test(error.message);
  await assert.rejects(open("anthropic/claude"), refused("INVALID_PARAMS", /ANTHROPIC_API_KEY.*anthropic\.key/));
  await assert.rejects(open("openai/gpt"), refused("INVALID_PARAMS", /OPENAI_API_KEY/));
  await assert.rejects(open("nobody/model"), refused("NOT_FOUND", /no model "nobody\/model"/));
  await assert.rejects(open("near"), refused("NOT_FOUND", /no model/));
  await open("ollama/llama");
  await open("far/model");
  env.FAR_KEY = "far-key-abcdefghijklmnop";
  await assert.rejects(open("far/model"), refused("INVALID_PARAMS", /isn't https/));
  const file = join(hub.home.keys, "near.key");
  writeFileSync(file, "near-key-abcdefghijklmnop\n", { mode: 0o644 });
  chmodSync(file, 0o644);
  await assert.rejects(open("near/model"), refused("INVALID_PARAMS", /chmod 600/));
  chmodSync(file, 0o600);
  await open("near/model");
  assert.equal(filterSecrets("it is near-key-abcdefghijklmnop."), "it is [REDACTED].");
  writeFileSync(file, "two\nlines");
  await assert.rejects(open("near/model"), refused("INVALID_PARAMS", /doesn't hold a key/));
});

test("a command that the agent runs has no key in its environment, and can't read the file", async (t) => {
  const call = { id: "c", name: "bash", input: ['{"command":"env; cat ../home/keys/test.key"}'] };
  process.env.TEST_KEY = KEY;
  t.after(() => delete process.env.TEST_KEY);
  const { talk, server, home } = await openTalk(t, "openai", [{ calls: [call] }]);
  writeFileSync(join(home.keys, "test.key"), KEY, { mode: 0o600 });
  await talk("go");
  const told = JSON.stringify(server.asked[1]?.body.messages.at(-1));
  assert.doesNotMatch(told, /TEST_KEY/);
  assert.doesNotMatch(told, new RegExp(KEY));
  assert.equal(readFileSync(join(home.keys, "test.key"), "utf8"), KEY);
});

test("the provider's code isn't loaded before a model is asked for", () => {
  const script = `import { registerHooks } from "node:module";
    registerHooks({ resolve: (name, context, next) => (/ai-sdk/.test(name) && console.log(name), next(name, context)) });
    await import("@countersign/hub");
    console.log("started");
    await import("./src/agent/providers/create-sdk-model.ts");`;
  const cwd = new URL("../..", import.meta.url);
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { cwd, encoding: "utf8" });
  assert.match(stdout, /^started\n.*ai-sdk/);
});
