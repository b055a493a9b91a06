import type { Tool } from "./tool.ts";

/** They check by the project's settings, which can't name code of the project, but may say that files are fixed. */
const checks = { operands: "paths", recursive: ["*"], readsCwd: true, reliesOnJail: true } as const;

/** Linters and formatters that load no code of the project. What fixes or formats isn't here. */
export const LINT_TOOLS: readonly Tool[] = [
  {
    names: ["ruff"],
    // Not --config, --cache-dir, -o, --fix, --add-noqa, --watch: other settings, or writes.
    options: "-V --version -h --help -q -v -s --quiet --verbose --silent --isolated",
    operands: "none",
    optionsAnywhere: true,
    uses: [
      {
        commands: ["check"],
        options:
          "-n -e --no-cache --no-fix --no-unsafe-fixes --diff --preview --no-preview --statistics --show-files --show-settings --show-fixes --exit-zero --exit-non-zero-on-fix " +
          "--no-respect-gitignore --respect-gitignore --force-exclude --no-force-exclude --ignore-noqa --select: --ignore: --extend-select: --fixable: --unfixable: --per-file-ignores: " +
          "--exclude: --extend-exclude: --target-version: --line-length# --stdin-filename: " +
          "--output-format=concise|full|json|json-lines|junit|grouped|github|gitlab|pylint|rdjson|azure|sarif",
        ...checks,
      },
      {
        commands: ["format"],
        options:
          "-n --check --diff --no-cache --preview --no-preview --respect-gitignore --no-respect-gitignore --force-exclude --no-force-exclude --exclude: --target-version: --line-length# " +
          "--stdin-filename: --range:",
        ...checks,
        requires: ["--check", "--diff"],
      },
      { commands: ["rule", "linter", "version", "help"], options: "--all --output-format=text|json", operands: "text" },
    ],
    examples: {
      safe: [
        "ruff check",
        "ruff check . --select E,F --output-format=json",
        "ruff format --check src",
        "ruff format --diff .",
        "ruff rule E501",
        "ruff --version",
      ],
      notSafe: [
        "ruff check --fix",
        "ruff check --config x.toml",
        "ruff check -o out.json",
        "ruff check --output-file=o",
        "ruff check --add-noqa",
        "ruff check --cache-dir=/tmp/x",
        "ruff check --watch",
        "ruff check --fi",
        "ruff format",
        "ruff format src",
        "ruff clean",
        "ruff server",
        "ruff check .env",
      ],
    },
  },
  {
    names: ["black"],
    // Not --config and -c.
    options:
      "-V --version -h --help -q -v -t: -l# -S -C -W# --check --diff --color --no-color --quiet --verbose --fast --safe --pyi --ipynb --preview --target-version: --line-length# --workers# " +
      "--include: --exclude: --extend-exclude: --force-exclude: --stdin-filename: --required-version: --skip-string-normalization --skip-magic-trailing-comma --no-cache",
    ...checks,
    requires: ["--check", "--diff", "-V", "--version", "-h", "--help"],
    examples: {
      safe: ["black --check .", "black --diff --color src", "black --check -q -l 100 src tests"],
      notSafe: [
        "black .",
        "black src --quiet",
        "black --check --config x.toml .",
        "black -c 'x=1'",
        "black --chec .",
        "black",
      ],
    },
  },
  {
    names: ["isort"],
    // Not --settings-path, --sp, --apply, and not --diff alone: with it some versions also write.
    options:
      "-V --version -h --help -c -d -q -v -l# -p: --check --check-only --diff --quiet --verbose --color --line-length# --profile: --py: --python-version: --skip: --skip-glob: --src: " +
      "--filter-files --gitignore",
    ...checks,
    requires: ["-c", "--check", "--check-only", "-V", "--version", "-h", "--help"],
    examples: {
      safe: ["isort --check .", "isort --check-only --diff src", "isort -c --profile black src"],
      notSafe: [
        "isort .",
        "isort --diff .",
        "isort --check --settings-path x .",
        "isort --apply --check .",
        "isort --chec .",
      ],
    },
  },
];
