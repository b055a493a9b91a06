import type { Tool } from "./tool.ts";

/** Newer tools that find, show and count files. */
export const NEWER_TOOLS: readonly Tool[] = [
  {
    names: ["fd", "fdfind"],
    // Not -x, -X: they run programs. Not --base-directory's friends that read lists.
    options:
      "-H -I -u -s -i -g -F -a -l -L -p -d# -e: -E: -t: -S: -o: -1 -0 -q -j# -c: -T: --hidden --no-ignore --no-ignore-vcs --no-ignore-parent --unrestricted --case-sensitive --ignore-case --glob --regex " +
      "--fixed-strings --absolute-path --list-details --follow --full-path --print0 --max-depth# --min-depth# --exact-depth# --exclude: --prune --type: --extension: --size: --changed-within: --changed-before: " +
      "--newer: --older: --owner: --max-results# --quiet --show-errors --base-directory/ --path-separator: --search-path@ --strip-cwd-prefix? --one-file-system --and: --color: --format: --threads# --no-follow --hyperlink?",
    operands: "pattern",
    namesOnly: true,
    readsCwd: true,
    recursive: ["*"],
    follows: ["-L", "--follow"],
    // It lists in detail with ls.
    runs: ["ls"],
    examples: {
      safe: [
        "fd -e py tests",
        "fd",
        "fd -H -t f '^\\.env' .",
        "fd --extension ts --max-depth 2 . src",
        "fdfind readme",
      ],
      notSafe: [
        "fd -e log -x rm",
        "fd . -X vim",
        "fd --exec sh",
        "fd -tx --exec-batch sh",
        "fd --ignore-file list",
        "fd $x",
      ],
    },
  },
  {
    names: ["ag", "ack"],
    // Not --pager, --ackrc, -z, --passthrough's --output: they run programs or read elsewhere.
    options:
      "-A# -B# -C# -a -c -f -F -G: -g -h -H -i -l -L -m# -n -o -p -Q -r -R -s -S -t -u -U -v -w -x --after# --before# --context# --all-types --all-text --count --color --nocolor --no-color --column --depth# " +
      "--files-with-matches --files-without-matches --filename --nofilename --no-filename --file-search-regex: --group --nogroup --no-group --heading --noheading --hidden --ignore: --ignore-dir: " +
      "--ignore-case --invert-match --line-numbers --literal --match --max-count# --no-numbers --nonumbers --numbers --only-matching --print-long-lines --print0 --silent --skip-vcs-ignores --smart-case --stats " +
      "--vimgrep --word-regexp --js --ts --python --py --cpp --cc --java --go --rust --ruby --html --css --json --yaml --md --markdown --shell --sql",
    operands: "pattern",
    readsCwd: true,
    recursive: ["*"],
    examples: {
      safe: ["ag --ignore dist handleClick", "ack --python 'def '", "ag -l TODO src"],
      notSafe: ["ag --pager sh x", "ag -z x", "ack --output='$x' y", "ag x ~/.ssh", "ack --ackrc=f x"],
    },
  },
  {
    names: ["bat", "batcat"],
    options:
      "-A -p -l: -H: -n -r: -s -P -d -u -L --show-all --plain --language: --highlight-line: --number --line-range: --style: --color: --paging=never --theme: --wrap: --tabs# --terminal-width: --diff --list-languages --list-themes --no-config --squeeze-blank",
    operands: "paths",
    requires: [
      "--paging",
      "-p",
      "--plain",
      "-P",
      "-L",
      "--list-languages",
      "--style",
      "-n",
      "-r",
      "--line-range",
      "-A",
      "-l",
    ],
    runs: ["less", "git"],
    reliesOnJail: "data",
    examples: {
      safe: ["bat -p src/a.ts", "bat --paging=never -r 10:20 a"],
      notSafe: ["bat --pager=sh a", "bat cache --build", "bat -p .env", "bat --paging=always a"],
    },
  },
  {
    names: ["eza", "exa", "lsd"],
    options:
      "-1 -a -A -b -B -d -D -f -F -g -G -h -H -i -I: -l -L# -m -n -o -r -R -s: -S -t: -T -u -U -x -Z -@ --all --long --tree --level# --oneline --grid --across --recurse --sort: --reverse --only-dirs --only-files " +
      "--git --git-ignore --group-directories-first --ignore-glob: --icons? --no-icons --color? --colour? --header --inode --links --modified --created --accessed --time: --time-style: --no-permissions --no-filesize --no-user --no-time --total-size",
    operands: "paths",
    namesOnly: true,
    inert: true,
    examples: { safe: ["eza -la --git", "exa -T -L 2 src", "lsd --tree"], notSafe: ["eza --frob"] },
  },
  {
    names: ["tokei", "scc", "cloc", "sloccount", "dust", "duf"],
    options:
      "-e: -f -s: -t: -o=json|yaml|cbor -C -c -d# -i: -n# -r -w --exclude: --exclude-dir: --exclude-ext: --include-ext: --include-lang: --exclude-lang: --files --sort: --type: --by-file --by-file-by-lang --json --yaml --csv --md --xml --quiet --no-cocomo --not-match-d: --format=json|csv|tabular|wide|html|cloc-yaml --hidden --no-ignore --compact --depth#",
    clusters: "flags",
    operands: "paths",
    readsCwd: true,
    recursive: ["*"],
    examples: {
      safe: ["tokei src", "cloc --exclude-dir=node_modules .", "scc"],
      notSafe: [
        "cloc --report-file=x .",
        "cloc --out x .",
        "scc -o out .",
        "cloc --extract-with=x .",
        "cloc --list-file=f",
        "cloc --vcs=git .",
      ],
    },
  },
  {
    names: ["delta", "difft", "diffstat", "colordiff", "icdiff", "wdiff"],
    options:
      "-n -s -w -p# -C -r -u -b -B -i -y --side-by-side --line-numbers --color? --stat --width# --display: --context#",
    operands: "paths",
    recursive: ["*"],
    runs: ["diff", "less", "git"],
    reliesOnJail: "data",
    examples: {
      safe: ["diffstat fix.patch", "difft a.ts b.ts"],
      notSafe: ["delta --pager=sh a b", "wdiff -d x", "colordiff --frob a b"],
    },
  },
  {
    names: ["shellcheck", "hadolint", "yamllint"],
    options:
      "-f: -s: -e: -S: -o=all|deprecate-which|require-double-brackets -x -a -C? -i: --format: --shell: --exclude: --severity: --color? --strict --no-color --norc -q -c@ -d: -v -p",
    operands: "paths",
    reliesOnJail: "data",
    examples: {
      safe: ["shellcheck -f gcc run.sh", "yamllint .github", "hadolint Dockerfile"],
      notSafe: ["shellcheck --frob a", "shellcheck .env"],
    },
  },
];
