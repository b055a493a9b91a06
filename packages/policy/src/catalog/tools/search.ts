import type { Tool } from "./tool.ts";

const GREP_OPTIONS =
  "-a -A# -b -B# -c -C# -d: -D: -e: -E -f@ -F -G -h -H -i -I -l -L -m# -n -o -P -q -r -R -s -T -U -v -w -x -y -z -Z " +
  "--after-context# --before-context# --context# --count --color? --colour? --binary-files: --byte-offset --devices: --directories: " +
  "--exclude: --exclude-dir: --include: --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp: --file@ --ignore-case " +
  "--no-ignore-case --word-regexp --line-regexp --no-messages --invert-match --max-count# --line-number --line-buffered --with-filename " +
  "--no-filename --label: --only-matching --quiet --silent --text --recursive --dereference-recursive --files-without-match " +
  "--files-with-matches --initial-tab --null --null-data --help --version";

/** Tools that look for text in files. They take a pattern first; going into directories is up to the jail. */
export const SEARCH_TOOLS: readonly Tool[] = [
  {
    names: ["grep"],
    options: GREP_OPTIONS,
    operands: "pattern",
    patternOptions: ["-e", "-f", "--regexp", "--file"],
    inert: true,
    dashNumber: true,
    recursive: ["-r", "-R", "-d", "--recursive", "--dereference-recursive", "--directories"],
    examples: {
      safe: [
        "grep -c error build.log",
        'grep -rn "TODO" src',
        "grep -e x -e y a",
        "grep -E '^(a|b)' src/*.js",
        "grep x",
      ],
      notSafe: [
        "grep -r PRIVATE ~/.ssh",
        "grep -f /etc/shadow a",
        "grep --frob x a",
        "grep x .env",
        "grep -r x /",
        "grep -C x .env",
      ],
    },
  },
  {
    names: ["egrep", "fgrep"],
    options: GREP_OPTIONS,
    operands: "pattern",
    patternOptions: ["-e", "-f", "--regexp", "--file"],
    inert: true,
    dashNumber: true,
    recursive: ["-r", "-R", "-d", "--recursive", "--dereference-recursive", "--directories"],
    runs: ["grep"],
    examples: { safe: ["egrep -c 'WARN|FATAL' logs/app.log"], notSafe: ["egrep -f /etc/shadow a", "fgrep x .env"] },
  },
  {
    names: ["rg"],
    // Not --pre, --hostname-bin, -z: they run programs. Not --hidden's friends that read lists.
    options:
      "-A# -B# -C# -c -e: -E: -F -g: -H -h -I -i -j# -L -l -M# -m# -N -n -o -p -P -q -r: -S -s -t: -T: -U -u -V -v -w -x -. -0 -a " +
      "--after-context: --before-context: --context: --count --count-matches --color: --colors: --column --context-separator: --crlf " +
      "--encoding: --engine: --regexp: --fixed-strings --follow --glob: --iglob: --heading --no-heading --hidden --no-hidden " +
      "--ignore-case --json --line-number --no-line-number --line-regexp --files --files-with-matches --files-without-match --max-columns: " +
      "--max-count: --max-depth: --max-filesize: --multiline --multiline-dotall --no-config --no-filename --no-ignore --no-ignore-vcs " +
      "--no-messages --null --only-matching --passthru --pcre2 --pretty --quiet --replace: --smart-case --case-sensitive --sort: --sortr: " +
      "--stats --text --trim --type: --type-not: --type-list --unrestricted --version --vimgrep --with-filename --word-regexp --invert-match",
    operands: "pattern",
    patternOptions: ["-e", "--regexp", "--files", "--type-list"],
    recursive: ["*"],
    readsCwd: true,
    examples: {
      safe: [
        "rg foo src",
        "rg -l \"createServer\" -g '*.js'",
        "rg -F 'chmod 777' scripts/",
        "rg -e '--force' -e '-rf' scripts",
        "rg -n 'useState' --type ts",
      ],
      notSafe: [
        "rg --pre ./evil.sh foo",
        "rg --pre=x foo",
        "rg -z foo",
        "rg foo /etc",
        "rg --hostname-bin=x foo",
        "rg $x",
      ],
    },
  },
];
