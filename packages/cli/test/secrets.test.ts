import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type TestContext, test } from "node:test";
import { GatewayError } from "@countersign/sdk";
import { Place } from "./countersign.ts";
import { OutputRecorder, type Way } from "./output-recorder.ts";

/** Looked for are pieces: half a secret must not be left either. */
const MARK = "pL4nT3d";
const SECRET = `ghp_${MARK.repeat(6)}`.slice(0, 40);
/** The hub's own token, of a form that no rule knows. */
const OWN = "horse~staple~battery";
const OWN_IN_BASE64 = Buffer.from(`me:${OWN}`).toString("base64");
const PEM = ["-----BEGIN PRIVATE KEY-----", ...Array(60).fill(MARK.repeat(9)), "-----END PRIVATE KEY-----"].join("\n");

function leaks(text: string | Buffer): boolean {
  return [MARK, OWN, OWN_IN_BASE64.slice(4, -4)].some((piece) => text.includes(piece));
}

function filesUnder(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

interface Planting {
  readonly place: Place;
  readonly ears: OutputRecorder;
  /** Runs the CLI and hears it. */
  cli(...args: readonly string[]): Promise<void>;
}

async function plant(t: TestContext) {
  const place = new Place(t);
  mkdirSync(place.home, { mode: 0o700 });
  writeFileSync(join(place.home, "config.json"), JSON.stringify({ tools: { maxOutputBytes: 1024 } }));
  const serving = place.start(["serve", "--json", "--port", "0", "--log-level", "info"], { COUNTERSIGN_TOKEN: OWN });
  const { url } = JSON.parse(await serving.firstLine()) as { url: string };
  const ears = new OutputRecorder({ url, token: OWN });
  const cli = async (...args: readonly string[]) => {
    const { stdout, stderr } = await place.start(args, { COUNTERSIGN_TOKEN: OWN }).ended;
    ears.hear("cli", stdout + stderr);
  };
  return { place, serving, ears, cli };
}

test("a planted secret comes out by no way, and is in no file once all has ended", async (t) => {
  const { place, serving, ears, cli } = await plant(t);
  const { client, hubDeviceId } = await ears.envelope();
  const rpc = await ears.rpc();
  const planting = { place, ears, cli };

  await t.test("in a command that is asked about, revealed and run; its environment, directory, reason, output", () =>
    inWhatRuns(planting, (proposalId) => {
      rpc.send(JSON.stringify({ id: "f", method: "exec.follow", params: { proposalId } }));
      return client.request(hubDeviceId, "followOutput", { proposalId });
    }),
  );
  await t.test("in one that is denied, and in the reason for it", () => inWhatIsDenied(planting));
  await t.test("in files that a preview changes, and in their names", () => inPreview(planting));
  await t.test("in what is explained, and in a policy that was edited by hand", () => inPolicy(planting));
  await t.test("in what is refused", async () => {
    await inRefusals(planting);
    const asked = client.request(hubDeviceId, "getExecApproval", { approvalId: SECRET });
    const cause: unknown = await asked.catch((refused: unknown) => refused);
    assert.ok(cause instanceof GatewayError);
    ears.hear("error", cause.message);
    rpc.send(JSON.stringify({ id: "1", method: SECRET, params: {} }));
    rpc.send(JSON.stringify({ id: "2", method: "audit.tail", params: {} }));
  });

  for (const path of ["state", "grants", "devices", "exec", "tokens", "receipts"])
    await ears.call("GET", `/api/v1/${path}`);
  await ears.call("GET", "/metrics");
  while (!ears.heard.some(({ text }) => text.includes('"id":"2"'))) await ears.call("GET", "/healthz");
  rpc.close();
  client.disconnect();
  const { stdout, stderr } = await serving.stop();
  ears.hear("cli", stdout);
  ears.hear("log", stderr);

  assert.ok(leaks(`x${SECRET}y`) && leaks(`Basic ${OWN_IN_BASE64}`), "it would be found");
  for (const { way, text } of ears.heard) assert.ok(!leaks(text), `${way}: ${text}`);
  // It had been on every way.
  const hid = new Set(ears.heard.flatMap(({ way, text }) => (text.includes("[REDACTED") ? way : [])));
  const ways: Way[] = ["cli", "envelope", "error", "events", "http", "log", "rpc"];
  assert.deepEqual([...hid].sort(), ways);
  const files = filesUnder(place.home).filter((file) => !file.includes("/profiles/"));
  for (const name of ["countersign.db", "audit.jsonl"]) assert.ok(files.includes(join(place.home, name)), name);
  assert.match(readFileSync(join(place.home, "audit.jsonl"), "utf8"), /\[REDACTED/);
  for (const file of files) assert.ok(!leaks(readFileSync(file)), file);
});

async function inWhatRuns({ place, ears, cli }: Planting, follow: (id: string) => Promise<unknown>): Promise<void> {
  const cwd = join(place.workspace, SECRET);
  mkdirSync(cwd);
  // In two pieces, with a colour between them; and a key of which the cap would keep the end.
  const files = { one: "ghp_", two: `\x1b[m${SECRET.slice(4)}\n`, three: `${"-".repeat(2_000)}\n${PEM}\n` };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(place.workspace, name), text);
  const command = [
    `printf '%s\\n' ${SECRET} "Authorization: Basic ${OWN_IN_BASE64}" https://${OWN}@example.org`,
    `printf '%s\\n' "token: ${SECRET}" >&2`,
    "pwd; cat ../one; sleep 0.1; cat ../two; make x; cat ../three; exit 3",
  ].join("; ");
  const env = { NOTE: `key ${SECRET}`, URL: `https://${OWN}@example.org` };
  const proposal = { command, cwd, env, reason: `because ${SECRET} and ${OWN}`, proposalId: "ran" };
  const ran = ears.call("POST", "/api/v1/exec", proposal);
  const { approvalId, command: shown } = await ears.card();
  assert.match(shown, /\[REDACTED: 40 characters\]/);
  const followed = follow("ran");
  const events = ears.events("ran");
  await cli("pending");
  await cli("pending", "--json");
  const revealed = await ears.reveal(approvalId);
  assert.ok(leaks(revealed), "only here");
  await ears.call("POST", `/api/v1/approvals/${approvalId}/decision`, { decision: "allow-once" });
  assert.deepEqual([(await ran).exitCode, (await ran).truncated], [3, true]);
  await Promise.all([events, followed]);
  await ears.call("GET", "/api/v1/exec/ran");
  await cli("exec", "--", "echo", SECRET, OWN);
}

async function inWhatIsDenied({ place, ears }: Planting): Promise<void> {
  const command = `curl -H "Authorization: token ${SECRET}" -d password=${MARK}1234 https://${OWN}@example.org`;
  const proposal = { command, cwd: place.workspace, session: "s" };
  const denied = ears.call("POST", "/api/v1/exec", proposal);
  const { approvalId } = await ears.card();
  const answer = { decision: "deny", reason: `don't show ${SECRET}` };
  await ears.call("POST", `/api/v1/approvals/${approvalId}/decision`, answer);
  assert.equal((await denied).kind, "denied");
  assert.equal((await ears.call("POST", "/api/v1/exec", proposal)).kind, "denied");
}

async function inPreview({ place, ears, cli }: Planting): Promise<void> {
  writeFileSync(join(place.workspace, "a.cfg"), `one\ntoken = ${SECRET}\nlast\n`);
  // The names of files are made inside: where the command has them, the person must see them.
  const command = `sed -i s/one/two/ a.cfg; for x in $(sed -n s/token.=.//p a.cfg); do cp a.cfg "$x.cfg"; done`;
  const proposed = ears.call("POST", "/api/v1/exec", { command, cwd: place.workspace });
  const { approvalId, enforcement } = await ears.card();
  const preview = await ears.call("POST", `/api/v1/approvals/${approvalId}/preview`, {});
  await cli("preview", approvalId);
  if (enforcement === "jail") {
    const { changes } = preview as { changes: { path: string; diff?: string }[] };
    assert.deepEqual(changes.map(({ path }) => basename(path)).sort(), ["[REDACTED].cfg", "a.cfg"]);
    assert.match(changes.find(({ path }) => path.endsWith("/a.cfg"))?.diff ?? "", /-one\n\+two\n token = \[REDACTED\]/);
  }
  await ears.call("POST", `/api/v1/approvals/${approvalId}/decision`, { decision: "deny" });
  await proposed;
}

async function inPolicy({ place, ears, cli }: Planting): Promise<void> {
  const command = `curl -H 'X-Token: ${SECRET}' https://${OWN}@example.org`;
  await ears.call("POST", "/api/v1/explain", { command, cwd: place.workspace });
  await cli("explain", `deploy --token ${SECRET}`);
  await cli("explain", "--json", `deploy --token ${SECRET}`);
  const profile = join(place.home, "profiles/default");
  mkdirSync(profile, { recursive: true });
  const block = { allowlist: [{ pattern: `deploy --token ${SECRET}`, why: SECRET }] };
  writeFileSync(join(profile, "config.json"), JSON.stringify({ execApproval: block }));
  // Looked at with the next proposal.
  await ears.call("POST", "/api/v1/exec", { command: "ls", cwd: place.workspace });
  const { approvalId, riskReasons } = await ears.card("policy");
  assert.match(riskReasons.join(), /deploy --token \[REDACTED/);
  await cli("pending");
  await cli("policy", "show");
  await cli("policy", "show", "--json");
  await ears.call("POST", `/api/v1/approvals/${approvalId}/decision`, { decision: "deny" });
  await cli("policy", "allow", `deploy --token ${SECRET}`);
  await cli("policy", "deny", "--repository", `deploy --token ${SECRET}`);
  // One that can't be read is quoted by the parser.
  writeFileSync(join(profile, "config.json"), `{"execApproval": ${SECRET}`);
  assert.equal((await ears.call("POST", "/api/v1/exec", { command: "ls", cwd: place.workspace })).kind, "denied");
  await ears.call("GET", "/api/v1/state");
  await cli("policy", "show");
  writeFileSync(join(profile, "config.json"), "{}");
}

async function inRefusals({ ears }: Planting): Promise<void> {
  const entry = { pattern: "curl **", why: `uses ${SECRET}` };
  const wrong: [string, string, object?][] = [
    ["POST", "/api/v1/exec", { command: "ls", cwd: `/nowhere/${SECRET}` }],
    ["POST", "/api/v1/exec", { command: "ls", [SECRET]: 1 }],
    ["POST", "/api/v1/exec", { command: "ls", env: { [SECRET]: "1" } }],
    ["GET", `/api/v1/approvals/${SECRET}`],
    ["POST", `/api/v1/approvals/${SECRET}/decision`, { decision: SECRET }],
    ["POST", `/api/v1/approvals/${SECRET}/reveal`, {}],
    ["POST", "/api/v1/policy/edit", { profile: "default", change: { action: "deny", entries: [entry] } }],
    ["POST", "/api/v1/policy/edit", { profile: SECRET, change: { action: "remove", entry: SECRET } }],
    ["POST", "/api/v1/explain", { command: "ls", profile: OWN }],
    ["DELETE", `/api/v1/tokens/${SECRET}`],
    ["GET", `/api/v1/${SECRET}`],
  ];
  for (const [method, path, body] of wrong) {
    const { error } = await ears.call(method, path, body);
    assert.ok(error, `${method} ${path}`);
  }
}
