import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ARMS } from "../../src/catalog/places/tool-files.ts";
import { classify } from "../../src/classify/classify.ts";
import { decide } from "../../src/decide/decide.ts";
import { placeMeaning } from "../../src/paths/meaning.ts";
import { writeToolCall } from "../../src/patterns/tool-call.ts";
import { fixtureContext } from "../support/fixture-context.ts";
import { fixtureCircumstances, fixtureProfile } from "../support/fixture-profile.ts";
import { risk } from "../support/fixture-rows.ts";

const words = (text: string) => text.trim().split(/\s+/);

/** Files that are persistence: the tool or agent starts what they name by itself. */
const STARTS =
  words(`.git/config .git/hooks/pre-commit .hg/hgrc .envrc .gdbinit .lldbinit .exrc .nvim.lua sitecustomize.py usercustomize.py
  .dir-locals.el .vscode/tasks.json .idea/workspace.xml .devcontainer/devcontainer.json .husky/pre-commit .claude/settings.json
  .codex/config.toml .gemini/settings.json .cursor/mcp.json .mcp.json .windsurf/rules .continue/config.json .roo/mcp.json .kiro/settings.json
  .zed/settings.json opencode.json opencode.jsonc .opencode/plugin/a.ts crush.json .crush.json .crush/x .qwen/settings.json .aider.conf.yml
  .kilocode/mcp.json .amazonq/cli-agents/a.json .amp/settings.json .goose/config.yaml .cline/x .augment/x .trae/mcp.json .factory/mcp.json .junie/mcp.json
  .openhands/setup.sh .agents/skills/a .continuerc.json .roomodes .kilocodemodes`);

/** Files that people edit all day, by which a tool runs or loads something when it is next used. */
const ARMING =
  words(`rust-toolchain rust-toolchain.toml .cargo/config .cargo/config.toml .npmrc node_modules/.bin/tsc .yarnrc .yarnrc.yml
  .yarn/releases/yarn.cjs .yarn/plugins/a.cjs .pnpmfile.cjs pnpm-workspace.yaml .corepack.env bunfig.toml deno.json .mvn/jvm.config
  .mvn/maven.config .mvn/extensions.xml .mvn/wrapper/maven-wrapper.properties gradle.properties gradle/wrapper/gradle-wrapper.properties
  .sbtopts .jvmopts profiles.clj tools/bazel .bazelrc .bazeliskrc .bazelversion conftest.py tests/conftest.py pytest.ini toxfile.py tox.ini .flake8
  pylintrc .pylintrc mypy.ini .coveragerc .poetry/plugins/a poetry.toml .pdm-plugins/a .venv/bin/python venv/bin/pip .pdbrc
  jupyter_notebook_config.py ipython_config.py .bundle/config .irbrc .pryrc .rspec .rubocop.yml bin/rails .Rprofile .tclshrc .proverc
  php.ini ansible.cfg .terraform/providers/a .terraformrc terragrunt.hcl .tflint.hcl packer-plugin-x Pulumi.yaml global.json NuGet.config
  Directory.Build.props .config/dotnet-tools.json .golangci.yml .git/glab-cli/config.yml .jj/repo/config.toml .lfsconfig lefthook.yml
  .lefthook/pre-commit/a .pre-commit-config.yaml .overcommit.yml .simple-git-hooks.json .lintstagedrc .github/workflows/ci.yml
  .github/actions/a/action.yml .gitlab-ci.yml .circleci/config.yml Jenkinsfile azure-pipelines.yml .tool-versions mise.toml .mise.toml mise.local.toml
  .config/mise/config.toml flake.nix shell.nix devbox.json Vagrantfile app.code-workspace .helix/languages.toml CLAUDE.md AGENTS.md GEMINI.md
  .clinerules .windsurfrules .goosehints .github/copilot-instructions.md`);

const granted = (command: string) => {
  const allowed = { entries: [], grants: [{ root: "/home/me/project" }] };
  return decide(classify(command, fixtureContext()), fixtureProfile(), fixtureCircumstances({ allowed })).verdict;
};
const told = (command: string) =>
  classify(command, fixtureContext()).effects.flatMap(({ ruleId, target, sentence }) =>
    ruleId === "path.arms" ? [`${target?.slice("/home/me/project/".length)}: ${sentence.split(":")[0]}`] : [],
  );

describe("writing a file that starts code", () => {
  for (const path of STARTS) {
    it(`${path} is dangerous`, () => {
      assert.equal(risk(`echo x > ${path}`), "dangerous");
      assert.equal(placeMeaning(`/home/me/project/${path}`, "/home/me").startsCode, true);
    });
  }
});

describe("writing a file that arms a tool", () => {
  it(`${STARTS.length + ARMING.length} places are known`, () => assert.ok(STARTS.length + ARMING.length >= 119));
  for (const path of ARMING) {
    it(`${path} asks, also under an effect grant`, () => {
      assert.equal(risk(`echo x > ${path}`), "needs-review");
      assert.equal(granted(`echo x > ${path}`), "ask");
      assert.match(told(`echo x > ${path}`).join(), /: Configures /);
    });
  }
  it("ordinary files are covered by the grant", () => {
    for (const path of words("src/a.ts README.md package.json Makefile build.rs conftest.pyc my.npmrc docs/agents.txt"))
      assert.equal(granted(`echo x > ${path}`), "allow", path);
  });
});

describe("each way of writing is seen", () => {
  const ways: readonly [command: string, path: string][] = [
    ["echo x > .npmrc", ".npmrc"],
    ["echo x >> .npmrc", ".npmrc"],
    ["echo x &> .npmrc", ".npmrc"],
    ["echo x >| .NPMRC", ".NPMRC"],
    ["cat > .npmrc # 4 bytes, sha256 00", ".npmrc"],
    ["echo x | tee -a .npmrc", ".npmrc"],
    ["touch .npmrc", ".npmrc"],
    ["dd of=.npmrc", ".npmrc"],
    ["cp x .npmrc", ".npmrc"],
    ["cp x/.npmrc .", ".npmrc"],
    ["cp a x/.npmrc sub", "sub/.npmrc"],
    ["cp x/.npmrc sub", "sub/.npmrc"],
    ["mv x/.npmrc sub/", "sub/.npmrc"],
    ["install -m 644 x .npmrc", ".npmrc"],
    ["ln -s x .npmrc", ".npmrc"],
    ["ln -s x/.npmrc .", ".npmrc"],
    ["sed -i s/a/b/ .npmrc", ".npmrc"],
    ["sed 'w .npmrc' a", ".npmrc"],
    ["awk '{print > \".npmrc\"}' a", ".npmrc"],
    ["perl -pi -e s/a/b/ .npmrc", ".npmrc"],
    ["sort -o .npmrc a", ".npmrc"],
    ["curl -o .npmrc https://x.io/a", ".npmrc"],
    ["wget -O .npmrc https://x.io/a", ".npmrc"],
    ["patch .npmrc < x", ".npmrc"],
    ["tar xf a.tar .npmrc", ".npmrc"],
    ["unzip a.zip .npmrc", ".npmrc"],
    ["git mv a .npmrc", ".npmrc"],
    ["mv x .cargo", ".cargo"],
    ["cp -r x/.github .", ".github"],
    ["ln -s ../x/.venv .", ".venv"],
    ["rsync -a x/.npmrc .", ".npmrc"],
    ["uniq a conftest.py", "conftest.py"],
    ["cd sub && touch .npmrc", "sub/.npmrc"],
    ["bash -lc 'echo x > .npmrc'", ".npmrc"],
    ["mkdir -p .github/workflows", ".github/workflows"],
    ["git checkout HEAD~1 -- .npmrc", ".npmrc"],
    ["git checkout other .npmrc", ".npmrc"],
    ["git restore --source=other .npmrc", ".npmrc"],
    ["git diff --output=.npmrc", ".npmrc"],
    ["git log --output .npmrc", ".npmrc"],
    ["git archive -o .npmrc HEAD", ".npmrc"],
    ["git format-patch -o .github HEAD~1", ".github"],
    ["tar cf .npmrc a", ".npmrc"],
    ["tar czvf .npmrc a", ".npmrc"],
    ["tar -cf .npmrc a", ".npmrc"],
    ["tar --create --file=.npmrc a", ".npmrc"],
    ["shuf -o .npmrc a", ".npmrc"],
    ["truncate -s 9 .npmrc", ".npmrc"],
    ["ruff check --output-file=.npmrc", ".npmrc"],
    ["eslint -o .npmrc src", ".npmrc"],
  ];
  for (const [command, path] of ways) {
    it(command, () => {
      assert.ok(
        told(command).some((one) => one.startsWith(`${path}: Configures `)),
        told(command).join(),
      );
      assert.equal(granted(command), "ask");
    });
  }
  it("reading, comparing and removing one arms nothing", () => {
    for (const command of [
      "cat .npmrc.example CLAUDE.md",
      "diff a CLAUDE.md",
      "rm CLAUDE.md",
      "git add CLAUDE.md",
      "mv conftest.py old.py",
      "rsync x/.npmrc host:dir",
      "tar czf out.tgz .npmrc CLAUDE.md",
      "tar tf conftest.py",
      "tar cf - .npmrc",
      "git restore --staged .npmrc",
      "git checkout -b .npmrc",
      "git checkout main",
      "git diff .npmrc",
    ])
      assert.deepEqual(told(command), [], command);
  });
  it("a link to one, and the worse of two meanings, count", () => {
    const realpath = (path: string) => (path === "/home/me/project/link" ? "/home/me/project/.npmrc" : path);
    assert.equal(classify("echo > link", fixtureContext({ realpath })).effects[0]?.ruleId, "path.arms");
    const graver = (path: string) => (path.endsWith("/.npmrc") ? "/home/me/.bashrc" : path);
    assert.equal(risk("echo > .npmrc", { realpath: graver }), "dangerous");
  });
  it("a tool call that names one isn't covered by an entry", () => {
    for (const path of ["/home/me/project/.npmrc", "mise.toml", "./conftest.py"]) {
      const call = writeToolCall({ server: "fs", tool: "write", arguments: { path } });
      const profile = fixtureProfile({ allowlist: [{ pattern: "mcp:fs **" }] });
      const judged = decide(classify(call, fixtureContext()), profile, fixtureCircumstances());
      assert.equal(judged.verdict, "ask", path);
    }
  });
});

it("each tool is told as who goes by the file, and how", () => {
  for (const { arms } of ARMS) assert.match(arms, /^[\w' ,-]+$/);
  assert.match(told("touch rust-toolchain.toml").join(), /Configures cargo and rustc, which run the toolchain/);
});
