import type { Tool } from "./tool.ts";

/** Package managers and languages: what they list and tell. What installs, builds or runs isn't here. */
const local = { operands: "text", reliesOnJail: true } as const;
const asks = { operands: "text", service: true } as const;
const rust = { reliesOnJail: true, loads: "what rust-toolchain.toml names" } as const;
const yarn = { reliesOnJail: true, loads: "the yarn that .yarnrc.yml names" } as const;
const pnpm = { reliesOnJail: true, loads: "what .pnpmfile.cjs and package.json name" } as const;
const poetry = { reliesOnJail: true, loads: "plugins of the project" } as const;
const bundle = { reliesOnJail: true, loads: "the Gemfile or plugins of the project" } as const;
/** Its settings in the workspace name registries and what is sent there, and no code: only with a jail's hosts, and no login. */
const steered = { reliesOnJail: "data" } as const;

const NPM_LIST =
  "-a -g -l -p -D -P --all --json --long --parseable --depth: --global --prod --production --dev --only: --omit: --include: --link --package-lock-only --unicode --no-unicode " +
  "-w: -r --workspace: --workspaces --include-workspace-root --recursive --lockfile-only --only-projects --filter: --registry=https://registry.npmjs.org*";

/** A setting whose value may be a login isn't shown. */
const PLAIN_SETTING = "^(?!.*([Aa]uth|[Tt]oken|[Pp]assw|[Ss]ecret|[Cc]ert|[Kk]ey|_|:))[\\w.-]+$";

const WRITTEN: readonly Tool[] = [
  {
    names: ["npm"],
    options: "--json --silent -s -g --global --no-color --loglevel=silent|error|warn -v --version",
    operands: "none",
    optionsAnywhere: true,
    uses: [
      {
        commands: ["ls", "list", "la", "ll", "explain", "why", "query", "fund", "licenses list", "licenses ls"],
        options: NPM_LIST,
        ...local,
        ...steered,
      },
      {
        commands: ["root", "prefix", "bin", "store path", "run", "run-script", "cache ls"],
        options: "-g --global",
        operands: "none",
        ...steered,
      },
      // With an operand it sets the version.
      { commands: ["version"], options: "", operands: "none", ...steered },
      {
        commands: ["view", "info", "show", "v", "outdated", "search", "s", "find", "ping", "whoami", "doctor"],
        options: `${NPM_LIST} --searchlimit: --long --no-description`,
        ...asks,
        ...steered,
      },
      {
        commands: ["audit"],
        options: `${NPM_LIST} --audit-level: --omit:`,
        operands: "none",
        service: true,
        ...steered,
      },
      {
        commands: [
          "owner ls",
          "owner list",
          "dist-tag ls",
          "dist-tags ls",
          "access list packages",
          "docs-url",
          "stars",
        ],
        options: "",
        ...asks,
        ...steered,
      },
      { commands: ["pkg get"], options: "-w: --workspace: --workspaces", ...local, ...steered },
      {
        commands: ["config get", "get", "c get"],
        options: "-l",
        operands: "text",
        operandForm: PLAIN_SETTING,
        minOperands: 1,
        ...steered,
      },
      // Values that are logins are hidden by npm itself.
      { commands: ["config list", "config ls"], options: "-l", operands: "none", ...steered },
    ],
    examples: {
      safe: [
        "npm ls --depth=0",
        "npm view react version",
        "npm outdated",
        "npm run",
        "npm config get registry",
        "npm -v",
        "npm explain react",
        "npm pkg get scripts",
        "npm root -g",
      ],
      notSafe: [
        "npm install",
        "npm test",
        "npm run build",
        "npm audit fix",
        "npm version patch",
        "npm view $x",
        "npm config get //registry.npmjs.org/:_authToken",
        "npm config set x y",
        "npm --prefix /x ls",
        "npm ls --registry=http://evil.example",
        "npm exec x",
        "npm token list",
        "npm --script-shell=x run",
      ],
    },
  },
  {
    names: ["yarn"],
    // A repository may bring its own yarn: the jail holds it, without the network.
    options: "--json --silent -s --no-progress",
    operands: "none",
    alone: false,
    uses: [
      {
        commands: [
          "list",
          "why",
          "licenses list",
          "workspaces info",
          "workspaces list",
          "bin",
          "versions",
          "config list",
        ],
        options: "--json --depth: --pattern: --prod --production -R -A --all --recursive -v",
        ...local,
        ...yarn,
      },
      {
        commands: ["info", "outdated", "npm info", "npm audit", "audit"],
        options: "--json --fields: -A -R --all --recursive --level: --groups:",
        ...asks,
        ...yarn,
      },
      { commands: ["config get"], options: "", operands: "text", operandForm: PLAIN_SETTING, ...yarn },
    ],
    examples: {
      safe: ["yarn list --depth=0", "yarn why react", "yarn workspaces list"],
      notSafe: [
        "yarn",
        "yarn info react",
        "yarn npm audit",
        "yarn install",
        "yarn add x",
        "yarn build",
        "yarn --json",
        "yarn config set a b",
      ],
    },
  },
  {
    names: ["bun"],
    options: "",
    operands: "none",
    alone: false,
    uses: [
      {
        commands: ["pm ls", "pm list", "pm bin", "pm cache", "pm hash"],
        options: "--all -g",
        operands: "none",
        ...steered,
      },
      { commands: ["outdated", "info", "pm view", "why"], options: "", ...asks, ...steered },
    ],
    examples: {
      safe: ["bun pm ls", "bun --version"],
      notSafe: ["bun run x", "bun pm cache rm", "bun install", "bun x.ts", "bun"],
    },
  },
  {
    names: ["deno"],
    options: "",
    operands: "none",
    alone: false,
    uses: [
      {
        commands: ["lint", "types", "doc"],
        options: "--json --rules --compact -q --quiet",
        operands: "paths",
        reliesOnJail: true,
      },
      {
        commands: ["fmt"],
        options: "--check -q --quiet --ext:",
        operands: "paths",
        requires: ["--check"],
        reliesOnJail: true,
      },
    ],
    examples: {
      safe: ["deno lint src", "deno fmt --check"],
      notSafe: ["deno run x.ts", "deno fmt", "deno lint --fix", "deno eval 1", "deno"],
    },
  },
  {
    names: ["node", "nodejs"],
    options: "-c --check",
    operands: "paths",
    optionsFirst: true,
    requires: ["-c", "--check"],
    minOperands: 1,
    examples: {
      safe: ["node --check src/a.js"],
      notSafe: [
        "node src/a.js",
        "node -e 1",
        "node --check -r ./x a.js",
        "node -p 1",
        "node --check",
        "node --check < a.js",
      ],
    },
  },
  {
    names: ["python", "python2", "python3"],
    options:
      "-m=json.tool|this|site -I -E -s --sort-keys --indent# --no-indent --tab --compact --json-lines --no-ensure-ascii",
    operands: "paths",
    requires: ["-m"],
    // The second is written.
    maxOperands: 1,
    reliesOnJail: true,
    loads: "Python modules of the directory",
    examples: {
      safe: ["python3 -m json.tool package.json", "python3 -m json.tool --indent 2 a.json"],
      notSafe: [
        "python3 x.py",
        "python3 -c 'print(1)'",
        "python3 -m http.server",
        "python3 -m json.tool a b",
        "python3",
        "python3 -m json.tool .env",
      ],
    },
  },
  {
    names: ["php"],
    options: "-l@",
    operands: "none",
    requires: ["-l"],
    examples: { safe: ["php -l index.php"], notSafe: ["php index.php", "php -r 'x'", "php -l a b"] },
  },
  {
    names: ["pip", "pip3"],
    options: "--disable-pip-version-check --no-color --no-input -q -v --quiet --verbose --isolated",
    operands: "none",
    optionsAnywhere: true,
    uses: [
      {
        commands: [
          "list",
          "show",
          "freeze",
          "check",
          "inspect",
          "debug",
          "cache list",
          "cache dir",
          "cache info",
          "help",
        ],
        options:
          "-o -u -e -i? -l -f --outdated --uptodate --editable --local --user --pre --format: --not-required --exclude-editable --include-editable --exclude: --files --all --path:",
        operands: "text",
        reliesOnJail: true,
      },
      { commands: ["index versions"], options: "--pre", ...asks },
      {
        commands: ["config list", "config debug"],
        options: "--user --global --site",
        operands: "none",
        reliesOnJail: true,
        requires: ["--site"],
      },
    ],
    examples: {
      safe: [
        "pip list",
        "pip show requests",
        "pip freeze",
        "pip list --outdated --format=json",
        "pip check",
        "pip index versions flask",
      ],
      notSafe: [
        "pip install x",
        "pip download x",
        "pip uninstall x",
        "pip list --log f",
        "pip cache purge",
        "pip --python x list",
        "pip list --index-url http://x",
        "pip list -f http://x",
        "pip config list",
      ],
    },
  },
  {
    names: ["uv"],
    options: "-q -v --quiet --verbose --no-color --offline --no-progress -V --version",
    operands: "none",
    optionsAnywhere: true,
    uses: [
      {
        commands: [
          "pip list",
          "pip show",
          "pip freeze",
          "pip check",
          "pip tree",
          "tree",
          "tool list",
          "tool dir",
          "python list",
          "python dir",
          "python find",
          "cache dir",
          "self version",
        ],
        options:
          "--outdated --format: --editable --strict --depth# --all-groups --frozen --locked --only-installed --show-paths --universal --invert --package: --no-dev",
        operands: "text",
        reliesOnJail: true,
      },
      { commands: ["version"], options: "--short --output-format:", operands: "none", reliesOnJail: true },
    ],
    examples: {
      safe: ["uv pip list", "uv tree --frozen", "uv python list", "uv version"],
      notSafe: [
        "uv sync",
        "uv run x",
        "uv pip install x",
        "uv version 2.0",
        "uv add x",
        "uv cache clean",
        "uv --directory /x tree",
      ],
    },
  },
  {
    names: ["poetry", "pipenv", "pdm", "pipx"],
    options: "-q -v -n --no-ansi --quiet --no-interaction",
    operands: "none",
    alone: false,
    optionsAnywhere: true,
    uses: [
      {
        commands: ["show", "env info", "env list", "check", "about", "list", "graph", "info", "config --show-sources"],
        options:
          "-t -l -o -T -a -e -p --tree --latest --outdated --top-level --all --only: --with: --without: --json --path --executable --full-path --export --explicit --short --include-injected",
        ...local,
        ...poetry,
      },
      { commands: ["search"], options: "", ...asks, ...poetry },
      { commands: ["version"], options: "-s --short", operands: "none", ...poetry },
    ],
    examples: {
      safe: ["poetry show --tree", "poetry env info", "pipx list"],
      notSafe: [
        "poetry install",
        "poetry search x",
        "poetry run x",
        "poetry version patch",
        "pipx run x",
        "poetry -C /x show",
        "poetry",
      ],
    },
  },
  {
    names: ["conda", "mamba"],
    options: "-q -v --quiet",
    operands: "none",
    alone: false,
    optionsAnywhere: true,
    uses: [
      {
        commands: ["list", "info", "env list", "config --show-sources"],
        options: "-a -e -l --all --json --explicit --export --full-name --show-channel-urls",
        operands: "text",
        reliesOnJail: "data",
      },
      { commands: ["search"], options: "--json --info", ...asks, reliesOnJail: "data" },
    ],
    examples: {
      safe: ["conda list", "conda env list", "conda search numpy", "mamba info"],
      notSafe: ["conda install x", "conda list -p /x", "conda search -c evil x", "conda run x", "conda"],
    },
  },
  {
    names: ["cargo"],
    // Not --config, --manifest-path, +toolchain: they choose other programs.
    options: "-q -v -V --list --version --quiet --verbose --offline --frozen --locked --color: --explain:",
    operands: "none",
    // Most often it is rustup's launcher, which runs the toolchain that rust-toolchain.toml names.
    reliesOnJail: true,
    optionsAnywhere: true,
    uses: [
      {
        commands: ["tree", "metadata", "pkgid", "locate-project", "verify-project", "read-manifest", "version"],
        options:
          "-p: -i: -e: -d -F: --package: --workspace --invert: --depth: --edges: --duplicates --prefix: --no-dedupe --all-features --no-default-features --features: --no-deps --format-version: --filter-platform: --message-format: --target: --format: --charset:",
        ...local,
        ...rust,
        runs: ["rustc", "rustup"],
      },
      { commands: ["search", "info"], options: "--limit:", ...asks, ...rust },
      {
        commands: ["fmt"],
        options: "--check --all",
        operands: "none",
        requires: ["--check"],
        ...rust,
        runs: ["rustfmt", "cargo-fmt", "rustup"],
      },
      {
        commands: ["fmt"],
        options: "--all",
        operands: "text",
        operandForm: "^--check$",
        minOperands: 1,
        ...rust,
        runs: ["rustfmt", "cargo-fmt", "rustup"],
      },
    ],
    examples: {
      safe: [
        "cargo tree -d",
        "cargo metadata --no-deps --format-version 1",
        "cargo fmt --check",
        "cargo fmt --all -- --check",
        "cargo --list",
      ],
      notSafe: [
        "cargo build",
        "cargo search serde",
        "cargo info serde",
        "cargo run",
        "cargo fmt",
        "cargo +nightly tree",
        "cargo --config x tree",
        "cargo install x",
        "cargo evil",
        "cargo tree --manifest-path /x",
        "cargo fix",
      ],
    },
  },
  {
    names: ["rustup"],
    options: "-q -v",
    operands: "none",
    alone: false,
    uses: [
      {
        commands: [
          "show",
          "show active-toolchain",
          "show home",
          "toolchain list",
          "target list",
          "component list",
          "which",
          "check",
        ],
        options: "-v --installed --toolchain:",
        ...local,
        ...rust,
      },
    ],
    examples: {
      safe: ["rustup show", "rustup target list --installed"],
      notSafe: ["rustup update", "rustup run nightly x", "rustup default x", "rustup self update", "rustup"],
    },
  },
  {
    names: ["rustc"],
    options:
      "--explain: --print=cfg|sysroot|target-list|target-cpus|target-features|host-tuple -vV --version --verbose -V",
    operands: "none",
    clusters: "none",
    requires: ["--explain", "--print", "-vV", "--version", "-V"],
    reliesOnJail: true,
    examples: {
      safe: ["rustc --explain E0382", "rustc --print sysroot", "rustc -vV"],
      notSafe: ["rustc a.rs", "rustc --print link-args a.rs"],
    },
  },
  {
    names: ["rustfmt", "gofmt", "goimports"],
    options: "--check --color: --edition: -l -d -s -e",
    operands: "paths",
    clusters: "none",
    requires: ["--check", "-l", "-d"],
    recursive: ["*"],
    reliesOnJail: true,
    examples: {
      safe: ["gofmt -l src", "rustfmt --check src/main.rs", "gofmt -d main.go"],
      notSafe: ["gofmt -w src", "rustfmt src/main.rs", "gofmt -l -w src", "gofmt main.go $x"],
    },
  },
  {
    names: ["go"],
    options: "",
    clusters: "none",
    operands: "none",
    alone: false,
    uses: [
      {
        commands: ["version", "help", "doc"],
        options: "-m -v -json -all -src -short -u -c -cmd",
        clusters: "none",
        ...local,
      },
      {
        commands: ["env"],
        options: "-json -changed",
        clusters: "none",
        operands: "text",
        reliesOnJail: true,
        operandForm: "^[A-Z0-9_]+$",
      },
      {
        commands: ["list", "mod graph", "mod why", "mod verify"],
        options: "-m -f: -json -json? -deps -test -e -u -versions -compiled -find -tags: -vendor -retracted -go: -x",
        clusters: "none",
        ...local,
      },
      { commands: ["tool"], options: "-n", clusters: "none", operands: "none", reliesOnJail: true },
    ],
    examples: {
      safe: [
        "go version",
        "go env GOPATH",
        "go list ./...",
        "go doc net/http.Client",
        "go mod graph",
        "go list -m -json all",
        "go env",
      ],
      notSafe: [
        "go run .",
        "go build",
        "go env -w X=y",
        "go list -toolexec=x ./...",
        "go mod tidy",
        "go vet",
        "go test ./...",
        "go list -overlay x",
        "go list -export .",
        "go -C /x list",
        "go tool pprof x",
      ],
    },
  },
  {
    names: ["gem"],
    options: "--no-verbose -q",
    operands: "none",
    alone: false,
    uses: [
      {
        commands: ["list", "info", "env", "environment", "which", "contents", "dependency", "specification", "help"],
        options: "-l -a -d -i -v: --local --all --details --installed --no-versions --versions --version: --exact",
        ...local,
      },
      { commands: ["search", "outdated", "list --remote"], options: "-r -e --remote --exact --all", ...asks },
    ],
    examples: {
      safe: ["gem list", "gem env", "gem search rails"],
      notSafe: ["gem install x", "gem list --config-file x", "gem push x", "gem exec x", "gem"],
    },
  },
  {
    names: ["bundle", "bundler", "composer"],
    options: "--no-color --no-ansi -q -n",
    operands: "none",
    alone: false,
    uses: [
      {
        commands: [
          "list",
          "show",
          "info",
          "check",
          "platform",
          "licenses",
          "why",
          "why-not",
          "depends",
          "prohibits",
          "validate",
          "check-platform-reqs",
          "about",
          "diagnose",
          "suggests",
          "fund",
          "version",
        ],
        options:
          "-t -i -D -a -l -o -s -p --name-only --paths --path --only-group: --dry-run --tree --installed --direct --all --latest --outdated --platform --self --format: --no-check-all --no-dev --json",
        ...local,
        ...bundle,
      },
      {
        commands: ["outdated", "search", "audit"],
        options: "-D -m -a --direct --minor-only --strict --parseable --format: --locked --groups",
        ...asks,
        ...bundle,
      },
    ],
    examples: {
      safe: ["bundle list", "composer show -t", "composer validate"],
      notSafe: [
        "bundle install",
        "bundle outdated",
        "composer outdated",
        "bundle exec x",
        "composer install",
        "composer run x",
        "bundle",
        "composer -d /x show",
        "bundle config set a b",
      ],
    },
  },
  {
    names: ["dotnet"],
    options: "--info --list-sdks --list-runtimes",
    operands: "none",
    // global.json says where the SDK is.
    reliesOnJail: true,
    uses: [
      {
        commands: ["sln list", "tool list", "nuget list source", "workload list", "list package", "list reference"],
        options: "-g --global --outdated --include-transitive --format:",
        ...local,
      },
    ],
    examples: {
      safe: ["dotnet --info", "dotnet --list-sdks", "dotnet list package", "dotnet"],
      notSafe: ["dotnet build", "dotnet run", "dotnet x.dll", "dotnet tool install x"],
    },
  },
  {
    names: ["pyenv", "rbenv", "nodenv", "asdf", "mise", "fnm", "volta"],
    options: "",
    operands: "none",
    alone: false,
    uses: [
      {
        commands: [
          "versions",
          "version",
          "root",
          "which",
          "whence",
          "list",
          "ls",
          "current",
          "where",
          "plugin list",
          "plugins list",
          "ls-remote",
          "list-remote",
          "info",
          "doctor",
        ],
        options: "--bare --json --installed -c --current",
        ...local,
      },
    ],
    examples: {
      safe: ["pyenv versions", "asdf current", "mise ls"],
      notSafe: ["pyenv install x", "asdf plugin add x", "pyenv exec x", "mise exec x", "fnm use 20", "pyenv"],
    },
  },
  {
    names: ["java", "javac"],
    options: "-version --version -fullversion",
    clusters: "none",
    operands: "none",
    requires: ["-version", "--version", "-fullversion"],
    examples: { safe: ["java -version"], notSafe: ["java -jar a.jar", "java Main", "java -version -agentlib:x"] },
  },
  {
    names: ["javap", "jps"],
    options: "-c -p -v -l -s -m -q -private -public -verbose -cp: -classpath:",
    clusters: "none",
    operands: "text",
    reliesOnJail: true,
    examples: { safe: ["javap -c -p build/A.class", "jps -l"], notSafe: ["javap -J-x A", "javap --frob A"] },
  },
];

/** Takes npm's words, and loads code of the workspace before any of them. */
function pnpmOf(npm: Tool): Tool {
  const { safe, notSafe } = npm.examples;
  const asking = ["npm view react version", "npm outdated"];
  const named = (commands: readonly string[]) => commands.map((command) => command.replace(/^npm/, "pnpm"));
  return {
    ...npm,
    names: ["pnpm"],
    uses: (npm.uses ?? []).map((use) => ({ ...use, ...pnpm })),
    examples: {
      safe: [...named(safe.filter((command) => !asking.includes(command))), "pnpm why lodash"],
      notSafe: [...named(notSafe), ...named(asking)],
    },
  };
}

export const LANGUAGE_TOOLS: readonly Tool[] = WRITTEN.flatMap((tool) =>
  tool.names.includes("npm") ? [tool, pnpmOf(tool)] : [tool],
);
