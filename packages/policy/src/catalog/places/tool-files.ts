/**
 * Files of a project from which a tool runs or loads something at its next use, although the command doesn't mention them.
 * Writing one isn't dangerous, because people edit them all day, but it asks, and no effect grant covers it.
 *
 * A directory is listed in addition to its files if another directory could be moved to its name.
 *
 * Files that a tool is asked to build or run aren't listed (package.json, Makefile, build.rs), because those commands ask.
 */
export interface Arming {
  /** The tool that reads the file, and how: "cargo, which runs the program that this file names". */
  readonly arms: string;
  /** As in `paths.ts`, separated by spaces. */
  readonly paths: string;
  /** The tool starts without a command, so a file left by a run that wasn't approved for it is quarantined. */
  readonly byItself?: true;
}

export const ARMS: readonly Arming[] = [
  {
    arms: "mise, which sets the environment and runs hooks in each shell that enters the directory",
    paths:
      "**/mise.toml **/.mise.toml **/mise.*.toml **/.mise.*.toml **/.mise/** **/mise/config*.toml **/.config/mise.toml **/.config/mise/**",
    byItself: true,
  },
  {
    arms: "agents, which take what this file says for instructions",
    paths: `**/CLAUDE.md **/CLAUDE.local.md **/AGENTS.md **/AGENTS.override.md **/AGENT.md **/TOOLS.md **/GEMINI.md **/QWEN.md **/CRUSH.md **/WARP.md **/.clinerules
      **/.clinerules/** **/.windsurfrules **/.goosehints **/.github/copilot-instructions.md **/.github/instructions/** **/.github/prompts/**
      **/.github/agents/** **/.github/chatmodes/**`,
  },
  {
    arms: "cargo and rustc, which run the toolchain and programs that this file names",
    paths: "**/rust-toolchain **/rust-toolchain.toml **/.cargo **/.cargo/config **/.cargo/config.toml",
  },
  {
    arms: "npm, which runs programs and sends logins as this file says",
    paths: "**/.npmrc **/node_modules/.bin/**",
  },
  {
    arms: "yarn, which runs what this file names",
    paths: "**/.yarnrc **/.yarnrc.yml **/.yarn **/.yarn/releases/** **/.yarn/plugins/**",
  },
  {
    arms: "pnpm, which runs what this file says",
    paths: "**/.pnpmfile.cjs **/.pnpmfile.mjs **/pnpmfile.js **/pnpm-workspace.yaml",
  },
  { arms: "corepack, which takes its environment from this file", paths: "**/.corepack.env" },
  { arms: "bun, which loads what this file names", paths: "**/bunfig.toml" },
  { arms: "deno, which loads plugins that this file names", paths: "**/deno.json **/deno.jsonc" },
  { arms: "maven, whose JVM loads what this file names", paths: "**/.mvn/**" },
  {
    arms: "gradle, which runs the JVM and the version that this file names",
    paths: "**/gradle.properties **/gradle/wrapper/**",
  },
  { arms: "sbt, whose JVM loads what this file names", paths: "**/.sbtopts **/.jvmopts" },
  { arms: "lein, which evaluates this file", paths: "**/profiles.clj" },
  {
    arms: "bazel, which runs what this file names",
    paths: "**/tools/bazel **/.bazelrc **/.bazeliskrc **/.bazelversion",
  },
  { arms: "pytest, which imports what this file says", paths: "**/conftest.py **/pytest.ini **/.pytest.ini" },
  { arms: "tox, which imports what this file says", paths: "**/toxfile.py **/tox.ini" },
  { arms: "flake8, which imports plugins that this file names", paths: "**/.flake8" },
  {
    arms: "pylint, which runs what this file says",
    paths: "**/pylintrc **/.pylintrc **/pylintrc.toml **/.pylintrc.toml",
  },
  { arms: "mypy, which imports plugins that this file names", paths: "**/mypy.ini **/.mypy.ini" },
  { arms: "coverage, which imports plugins that this file names", paths: "**/.coveragerc" },
  { arms: "poetry, which loads plugins that stand here", paths: "**/.poetry/** **/poetry.toml" },
  { arms: "pdm, which loads plugins that stand here", paths: "**/.pdm-plugins/** **/pdm.toml **/.pdm.toml" },
  {
    arms: "what runs this project's python",
    paths:
      "**/.venv **/venv **/.venv/bin/** **/venv/bin/** **/.venv/pyvenv.cfg **/venv/pyvenv.cfg **/.pdm-python **/.pdbrc",
  },
  {
    arms: "jupyter and ipython, which run this file",
    paths: "**/jupyter_*config.py **/jupyter_*config.json **/ipython_config.py",
  },
  { arms: "bundler, which runs the version and plugins that this file names", paths: "**/.bundle/**" },
  { arms: "ruby's tools, which run this file", paths: "**/.irbrc **/.pryrc **/.rspec **/.rubocop.yml **/bin/rails" },
  { arms: "R, which runs this file", paths: "**/.Rprofile **/.Renviron" },
  { arms: "tclsh, which runs this file", paths: "**/.tclshrc **/.wishrc" },
  { arms: "prove, which loads what this file names", paths: "**/.proverc" },
  { arms: "php, which loads what this file names", paths: "**/php.ini **/.user.ini" },
  { arms: "ansible, which loads plugins and writes logs as this file says", paths: "**/ansible.cfg" },
  {
    arms: "terraform, which runs the programs that stand here",
    paths: "**/.terraform/** **/terraform.d/** **/.terraformrc **/terraform.rc **/terragrunt.hcl",
  },
  { arms: "tflint, which runs plugins that this file names", paths: "**/.tflint.hcl" },
  { arms: "packer, which runs this program", paths: "**/packer-plugin-*" },
  { arms: "pulumi, which sends its login where this file says", paths: "**/Pulumi.yaml **/Pulumi.yml" },
  {
    arms: "dotnet, which runs the SDK and tools that this file names",
    paths:
      "**/global.json **/nuget.config **/Directory.Build.props **/Directory.Build.targets **/.config/dotnet-tools.json",
  },
  { arms: "golangci-lint, which loads plugins that this file names", paths: "**/.golangci.y*ml **/.golangci.toml" },
  { arms: "glab, which sends its login where this file says", paths: "**/.git/glab-cli/**" },
  { arms: "jj, which runs programs that this file names", paths: "**/.jj **/.jj/repo **/.jj/repo/config.toml" },
  { arms: "git-lfs, which sends logins where this file says", paths: "**/.lfsconfig" },
  {
    arms: "git hooks, which run what this file says",
    paths: `**/lefthook.y*ml **/lefthook.toml **/lefthook.json **/.lefthook.y*ml **/.lefthook.toml **/.lefthook.json **/lefthook-local.y*ml
      **/.lefthook/** **/.lefthook-local/** **/.pre-commit-config.yaml **/.pre-commit-hooks.yaml **/.overcommit.yml **/.git-hooks/**
      **/.simple-git-hooks.* **/simple-git-hooks.* **/.lintstagedrc* **/lint-staged.config.*`,
  },
  {
    arms: "continuous integration, which runs what this file says with its own secrets",
    paths: `**/.github **/.github/workflows/** **/.github/actions/** **/.gitea **/.gitea/workflows/** **/.forgejo **/.forgejo/workflows/** **/.gitlab-ci.yml **/.gitlab **/.gitlab/ci/**
      **/.circleci/** **/.travis.yml **/Jenkinsfile **/azure-pipelines.yml **/bitbucket-pipelines.yml **/.drone.yml **/.woodpecker.y*ml
      **/.woodpecker/** **/.buildkite/** **/appveyor.yml **/.appveyor.yml **/.cirrus.yml`,
  },
  { arms: "asdf, which runs the programs that this file names", paths: "**/.tool-versions" },
  {
    arms: "this project's shell, which runs what this file says",
    paths: "**/flake.nix **/shell.nix **/devenv.nix **/devbox.json **/.sdkmanrc",
  },
  { arms: "vagrant, which evaluates this file", paths: "**/Vagrantfile" },
  {
    arms: "editors, which start tasks and programs that this file names",
    paths: "**/*.code-workspace **/*.sublime-project **/.nvimrc **/.helix/** **/.fleet/** **/.nova/**",
  },
];
