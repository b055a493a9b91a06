import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { tempDirectory } from "../../../store/test/temp-store.ts";
import { StartError } from "../errors/start-error.ts";
import { readConfig } from "./config.ts";

const NOTIFY = {
  bell: false,
  desktop: { on: false, showDangerous: false },
  push: { reach: "public", contact: "mailto:countersign@example.org" },
  channels: {},
};

test("what isn't said has its default, and what isn't known is kept", (t) => {
  const path = join(tempDirectory(t), "config.json");
  const defaults = {
    tools: { timeout: 120_000, maxOutputBytes: 1024 * 1024, limits: {} },
    roots: [],
    agents: {},
    providers: {},
    receipts: { emitters: [] },
    notify: NOTIFY,
    page: { origins: [] },
  };
  assert.deepEqual(readConfig(path), defaults);
  writeFileSync(path, "{}");
  assert.deepEqual(readConfig(path), defaults);
  const given = {
    tools: { timeout: 5, later: 1, limits: { cpuSeconds: 60, processes: 100 } },
    roots: ["/srv"],
    agents: { claude: { workspace: "/w", later: 2 } },
    receipts: { witness: "/mnt/witness.jsonl" },
    later: [3],
  };
  writeFileSync(path, JSON.stringify(given));
  assert.deepEqual(readConfig(path), {
    ...given,
    providers: {},
    notify: NOTIFY,
    page: { origins: [] },
    tools: { ...given.tools, maxOutputBytes: 1024 * 1024 },
    agents: { claude: { ...given.agents.claude, unattended: false } },
    receipts: { ...given.receipts, emitters: [] },
  });
});

function channel(one: object): string {
  return JSON.stringify({ notify: { channels: { one } } });
}

test("a wrong value refuses the start and is named", (t) => {
  const path = join(tempDirectory(t), "config.json");
  const table: [string, RegExp][] = [
    ["", /isn't valid JSON/],
    ['{"tools":{"timeout":1', /isn't valid JSON/],
    ["null", /is invalid: file: /],
    ["[]", /is invalid: file: /],
    ['{"tools":1}', /tools: /],
    ['{"tools":{"timeout":0}}', /tools\.timeout: /],
    ['{"tools":{"timeout":"120000"}}', /tools\.timeout: /],
    ['{"tools":{"timeout":1e999}}', /tools\.timeout: /],
    ['{"tools":{"maxOutputBytes":1}}', /tools\.maxOutputBytes: /],
    ['{"tools":{"limits":{"cpuSeconds":0}}}', /tools\.limits\.cpuSeconds: /],
    ['{"tools":{"limits":{"memoryBytes":"1G"}}}', /tools\.limits\.memoryBytes: /],
    ['{"tools":{"limits":{"memoryBytes":1024}}}', /tools\.limits\.memoryBytes: /],
    ['{"tools":{"limits":{"processes":1.5}}}', /tools\.limits\.processes: /],
    ['{"tools":{"limits":{"memory":1}}}', /tools\.limits\.memory: .*did you mean memoryBytes\?/],
    ['{"tools":{"limits":{"disk":1}}}', /tools\.limits: .*disk/],
    ['{"tool":{}}', /tool: there's no such key \(did you mean tools\?\)/],
    ['{"tools":{"timeOut":1}}', /tools\.timeOut: .*did you mean timeout\?/],
    ['{"agents":{"claude":{"modle":"demo/demo"}}}', /agents\.claude\.modle: .*did you mean model\?/],
    ['{"agents":{"claude":{"profil":"strict"}}}', /agents\.claude\.profil: .*did you mean profile\?/],
    ['{"organization":{}}', /organization: .*did you mean organisation\?/],
    ['{"organisation":{"file":"/x","sha265":"x"}}', /organisation\.sha265: .*did you mean sha256\?/],
    ['{"receipts":{"emiters":[]}}', /receipts\.emiters: .*did you mean emitters\?/],
    ['{"receipts":{"emitters":[{"uuid":1,"role":"relay"}]}}', /receipts\.emitters\.0\.uuid: .*did you mean uid\?/],
    ['{"page":{"origin":[]}}', /page\.origin: .*did you mean origins\?/],
    ['{"notify":{"sound":true}}', /notify: .*sound/],
    ['{"notify":{"chanels":{}}}', /notify\.chanels: .*did you mean channels\?/],
    [
      channel({ kind: "ntfy", url: "https://ntfy.example/t", tokenenv: "x" }),
      /one\.tokenenv: .*did you mean tokenEnv\?/,
    ],
    ['{"notify":{"push":{"contact":"me"}}}', /notify\.push\.contact: must begin with mailto: or https:/],
    [channel({ kind: "pigeon", url: "https://x.example/" }), /notify\.channels\.one\.kind: /],
    [channel({ kind: "webhook", url: "http://x.example/" }), /channels\.one\.url: It must begin with https/],
    [
      channel({ kind: "webhook", url: "https://x.example/", secret: "in the file" }),
      /channels\.one\.secret: .*did you mean secretEnv\?/,
    ],
    [channel({ kind: "ntfy", url: "https://ntfy.example/" }), /channels\.one\.url: must end with a topic/],
    ['{"roots":"/"}', /roots: /],
    ['{"roots":["srv"]}', /roots\.0: must be an absolute path/],
    ['{"agents":{"claude":{"profile":"../x"}}}', /agents\.claude\.profile: isn't a profile id/],
    ['{"agents":{"claude":{"workspace":"w"}}}', /agents\.claude\.workspace: /],
    ['{"agents":{"claude":{"unattended":"yes"}}}', /agents\.claude\.unattended: /],
    ['{"agents":{"claude":{"model":"opus"}}}', /agents\.claude\.model: isn't provider\/model/],
    ['{"agents":{"claude":{"model":"nobody/opus"}}}', /agents\.claude\.model: there's no provider nobody/],
    ['{"agents":{"claude":{"tools":["sh"]}}}', /agents\.claude\.tools\.0: /],
    ['{"providers":{"demo":{"kind":"openai","baseURL":"https://x"}}}', /providers\.demo: /],
    ['{"providers":{"x":{"kind":"openai","baseURL":"file:///x"}}}', /providers\.x\.baseURL: /],
    ['{"providers":{"x":{"kind":"gemini","baseURL":"https://x"}}}', /providers\.x\.kind: /],
  ];
  for (const [text, message] of table) {
    writeFileSync(path, text);
    assert.throws(() => readConfig(path), { name: "StartError", code: "CONFIG_INVALID", message }, text);
  }
});

test("a file that can't be read isn't taken for a missing one", (t) => {
  const path = join(tempDirectory(t), "config.json");
  mkdirSync(path);
  assert.throws(
    () => readConfig(path),
    (error) => error instanceof StartError && error.code === "CONFIG_INVALID",
  );
});
