import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { ownHosts } from "./own-hosts.ts";

function scene(t: TestContext) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "countersign-hosts-")));
  t.after(() => rmSync(base, { recursive: true, force: true }));
  const [home, workspace] = [join(base, "home"), join(base, "workspace")];
  const write = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  for (const directory of [home, workspace]) mkdirSync(directory);
  const whose = (env: NodeJS.ProcessEnv = {}, roots = [workspace]) => ({ home, roots, env });
  return { home, workspace, write, whose };
}

const KUBE = { files: ["$KUBECONFIG", "~/.kube/config"], keys: ["server"] };
const CLUSTERS =
  'clusters:\n- cluster:\n    server: https://A.example:6443\n- cluster: {server: "https://[2001:db8::1]"}\n';

test("ownHosts reads the hosts of each form of settings", (t) => {
  const { home, write, whose } = scene(t);
  write(join(home, ".kube/config"), CLUSTERS);
  write(join(home, "hosts.yml"), "github.com:\n    user: me\nghe.example:\n    oauth_token: x\n");
  write(
    join(home, "meta/a/meta.json"),
    '{"Endpoints":{"docker":{"Host":"ssh://me@far.example","SkipTLSVerify":false}}}',
  );
  write(join(home, "meta/b/meta.json"), '{"Endpoints":{"docker":{"Host":"unix:///run/x.sock"}}}');
  write(join(home, "config.ini"), "[default]\nregion = x\nendpoint_url = http://aws.example:9000/a\n");
  const cases: [object, NodeJS.ProcessEnv, string[]][] = [
    [KUBE, {}, ["a.example", "2001:db8::1"]],
    [{ files: ["~/hosts.yml"], topKeys: true }, {}, ["github.com", "api.github.com", "ghe.example", "api.ghe.example"]],
    [{ files: ["~/meta/*/meta.json"], keys: ["Host"] }, {}, ["far.example"]],
    [{ files: ["~/config.ini"], keys: ["endpoint_url"] }, {}, ["aws.example"]],
    [{ variables: ["VAULT_ADDR", "OTHER"] }, { VAULT_ADDR: "https://vault.example:8200" }, ["vault.example"]],
    [{ variables: ["GH_HOST"] }, { GH_HOST: "ghe.example" }, ["ghe.example"]],
    [{ variables: ["DOCKER_HOST"] }, { DOCKER_HOST: "unix:///run/docker.sock" }, []],
    [{ files: ["~/none", "~/none/*/x"], keys: ["server"] }, {}, []],
    [{ files: ["~/meta"], keys: ["server"] }, {}, []],
  ];
  for (const [settings, env, expected] of cases) assert.deepEqual(ownHosts(settings, whose(env)), expected);
});

test("ownHosts trusts nothing that an agent may write", (t) => {
  const { home, workspace, write, whose } = scene(t);
  write(join(home, ".kube/config"), CLUSTERS);
  write(join(workspace, "config"), "server: https://evil.example\n");
  const inWorkspace = join(workspace, "config");
  assert.deepEqual(ownHosts(KUBE, whose({ KUBECONFIG: `${join(home, ".kube/config")}:${inWorkspace}` })), []);
  assert.deepEqual(ownHosts(KUBE, whose({ KUBECONFIG: "config" })), [], "a relative path is the workspace's");
  assert.deepEqual(ownHosts(KUBE, whose({}, [home])), [], "the home is the workspace");
  symlinkSync(inWorkspace, join(home, "link"));
  assert.deepEqual(ownHosts({ files: ["~/link"], keys: ["server"] }, whose()), []);
});

test("ownHosts names no pattern, no words and no file of any size", (t) => {
  const { home, write, whose } = scene(t);
  write(
    join(home, ".kube/config"),
    "server: https://*.example\nserver: '*'\nserver: a b\nserver: [x]\nserver: http://\n",
  );
  assert.deepEqual(ownHosts(KUBE, whose()), ["a"]);
  write(join(home, ".kube/config"), `server: https://a.example\n${"#".repeat(1024 * 1024)}`);
  assert.deepEqual(ownHosts(KUBE, whose()), []);
});
