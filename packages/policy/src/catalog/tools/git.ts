import type { Tool } from "./tool.ts";

/**
 * Options of everything that shows changes. Not --output, --ext-diff, --textconv, --no-index, -O<orderfile>: they write, run
 * programs or read elsewhere. Textconv and filters that a repository's own settings name are held by the jail.
 */
const DIFF =
  "-p -u -s -U# -z -a -b -w -B? -M? -C? -D -l# -S: -G: -R -W -1 -2 -3 -0 --patch --no-patch --unified# --raw --patch-with-raw --indent-heuristic --no-indent-heuristic --minimal " +
  "--patience --histogram --diff-algorithm: --anchored: --stat? --compact-summary --numstat --shortstat --dirstat? --cumulative --summary --patch-with-stat " +
  "--name-only --name-status --submodule? --color? --no-color --color-moved? --no-color-moved --color-moved-ws: --word-diff? --word-diff-regex: --color-words? " +
  "--no-renames --rename-empty --no-rename-empty --check --ws-error-highlight: --full-index --binary --abbrev? --break-rewrites? --find-renames? " +
  "--find-copies? --find-copies-harder --irreversible-delete --diff-filter: --find-object: --pickaxe-all --pickaxe-regex --relative? --no-relative --text " +
  "--ignore-cr-at-eol --ignore-space-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines: --inter-hunk-context# " +
  "--function-context --exit-code --quiet --no-ext-diff --no-textconv --ignore-submodules? --src-prefix: --dst-prefix: --no-prefix --default-prefix --line-prefix: --ita-invisible-in-index";

/** Options that choose commits. */
const COMMITS =
  "-n# -i -E -F -P -g -m -c --max-count# --skip# --since: --after: --until: --before: --since-as-filter: --author: --committer: --grep: --grep-reflog: --all-match --invert-grep " +
  "--regexp-ignore-case --basic-regexp --extended-regexp --fixed-strings --perl-regexp --remove-empty --merges --no-merges --min-parents# --max-parents# --no-min-parents " +
  "--no-max-parents --first-parent --exclude-first-parent-only --not --all --branches? --tags? --remotes? --glob: --exclude: --reflog --alternate-refs --ignore-missing " +
  "--boundary --simplify-by-decoration --show-pulls --full-history --dense --sparse --simplify-merges --ancestry-path? --left-right --left-only --right-only --cherry " +
  "--cherry-pick --cherry-mark --merge --walk-reflogs --no-walk? --do-walk --date-order --author-date-order --topo-order --reverse --count --objects --disk-usage?";

/** Options that choose how commits look. */
const LOOKS =
  "-q -t --follow --decorate? --no-decorate --decorate-refs: --decorate-refs-exclude: --source --mailmap --no-mailmap --use-mailmap --log-size --pretty? --format: --abbrev-commit " +
  "--no-abbrev-commit --oneline --encoding: --expand-tabs? --no-expand-tabs --notes? --no-notes --show-notes? --relative-date --date: --parents --children " +
  "--graph --no-graph --show-linear-break? --cc --no-diff-merges --diff-merges: --combined-all-paths -L:";

const REFS =
  "-i --format: --sort: --points-at: --merged? --no-merged? --contains: --no-contains: --column? --no-column --color? --no-color --ignore-case --omit-empty";

/** Git's uses that change nothing. All follow the repository's settings, which may name programs: the jail and the guard hold. */
const read = { operands: "revisions", reliesOnJail: "data" } as const;

/** `git submodule` is a script. */
const SUBMODULE_RUNS = [
  "git-submodule",
  "sh",
  "basename",
  "dirname",
  "sed",
  "uname",
  "cat",
  "expr",
  "tr",
  "git-sh-i18n--envsubst",
  "gettext",
  "ngettext",
  "envsubst",
];

export const GIT_TOOLS: readonly Tool[] = [
  {
    names: ["git"],
    // Not -c, --config-env, --exec-path=, --git-dir, --work-tree, -p: they run programs or take another repository's settings.
    options:
      "-C/ -P --no-pager --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-replace-objects --no-lazy-fetch -v --version --html-path --man-path --info-path",
    operands: "none",
    uses: [
      {
        commands: ["status"],
        options:
          "-s -b -v -u? -z --short --branch --no-branch --show-stash --porcelain? --long --verbose --untracked-files? --ignore-submodules? --ignored? --column? --no-column " +
          "--ahead-behind --no-ahead-behind --renames --no-renames --find-renames?",
        ...read,
      },
      { commands: ["diff"], options: `${DIFF} --cached --staged --merge-base --base --ours --theirs`, ...read },
      { commands: ["log", "show", "whatchanged"], options: `${DIFF} ${COMMITS} ${LOOKS}`, dashNumber: true, ...read },
      {
        commands: ["reflog", "reflog show"],
        options: `${DIFF} ${COMMITS} ${LOOKS}`,
        dashNumber: true,
        ...read,
        operandForm: "^(?!expire$|delete$|drop$|exists$|write$)",
      },
      { commands: ["reflog list", "reflog exists"], options: "", ...read },
      {
        commands: ["shortlog"],
        options: `${COMMITS} -s -n -e -w? --summary --numbered --email --group: --format: --date:`,
        ...read,
      },
      {
        commands: ["diff-tree", "diff-index", "diff-files"],
        options: `${DIFF} ${COMMITS} ${LOOKS} -r --root --stdin --cached --no-commit-id --merge-base -m`,
        ...read,
      },
      {
        commands: ["blame", "annotate"],
        options:
          "-b -l -t -f -n -s -e -w -c -L: -M? -C? -S@ --root --show-stats --line-porcelain --porcelain -p --incremental --since: --first-parent --reverse: --show-name --show-number --show-email " +
          "--date: --ignore-rev: --abbrev# --color-lines --color-by-age --encoding: --no-progress",
        ...read,
      },
      {
        commands: ["grep"],
        // Not -O, --open-files-in-pager, --no-index, -f: they run programs or read elsewhere.
        options:
          "-a -I -i -w -v -h -H -E -G -P -F -n -l -L -z -o -c -q -p -W -e: -A# -B# -C# -m# --cached --untracked --no-exclude-standard --exclude-standard --recurse-submodules --text --no-textconv " +
          "--ignore-case --word-regexp --invert-match --full-name --extended-regexp --basic-regexp --perl-regexp --fixed-strings --line-number --column --files-with-matches --name-only " +
          "--files-without-match --null --only-matching --count --color? --no-color --break --heading --show-function --function-context --context# --after-context# --before-context# " +
          "--and --or --not --all-match --quiet --max-depth# --max-count# --threads#",
        operands: "pattern",
        patternOptions: ["-e"],
        reliesOnJail: "data",
        recursive: ["*"],
      },
      {
        commands: ["ls-files"],
        options:
          "-c -d -m -o -i -s -u -k -t -v -f -z -x: --cached --deleted --modified --others --ignored --stage --unmerged --killed --resolve-undo --directory --no-empty-directory --eol --deduplicate " +
          "--exclude: --exclude-standard --error-unmatch --full-name --recurse-submodules --abbrev? --debug --sparse --format:",
        ...read,
      },
      {
        commands: ["ls-tree"],
        options:
          "-d -r -t -l -z --long --name-only --name-status --object-only --full-name --full-tree --abbrev? --format:",
        ...read,
      },
      {
        commands: ["rev-parse"],
        options:
          "-q --abbrev-ref? --short? --symbolic --symbolic-full-name --show-toplevel --show-superproject-working-tree --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir " +
          "--is-inside-git-dir --is-inside-work-tree --is-bare-repository --is-shallow-repository --show-object-format? --show-ref-format --verify --quiet --all --branches? --tags? --remotes? " +
          "--not --revs-only --no-revs --flags --no-flags --sq --default: --path-format: --git-path: --end-of-options --since: --until:",
        ...read,
      },
      {
        commands: ["rev-list"],
        options: `${COMMITS} ${LOOKS} --header --timestamp --no-commit-header --no-object-names --use-bitmap-index --stdin --in-commit-order --filter: --max-age: --min-age:`,
        dashNumber: true,
        ...read,
      },
      { commands: ["merge-base"], options: "-a --all --octopus --independent --is-ancestor --fork-point", ...read },
      {
        commands: ["cat-file"],
        options: "-p -t -s -e --batch-check? --batch? --batch-all-objects --unordered --buffer --allow-unknown-type",
        ...read,
      },
      {
        commands: ["describe"],
        options:
          "--dirty? --broken? --all --tags --contains --abbrev# --candidates# --exact-match --debug --long --match: --exclude: --always --first-parent",
        ...read,
      },
      {
        commands: ["name-rev"],
        options: "--tags --refs: --exclude: --all --name-only --no-undefined --always --annotate-stdin",
        ...read,
      },
      {
        commands: ["show-ref"],
        options: "-s -d -q --head --heads --branches --tags --verify --hash? --dereference --abbrev? --quiet --exists",
        ...read,
      },
      {
        commands: ["for-each-ref"],
        options: `${REFS} --count# --shell --perl --python --tcl --exclude: --include-root-refs`,
        ...read,
      },
      {
        commands: ["show-branch"],
        options:
          "-a -r --all --remotes --current --topo-order --date-order --sparse --more# --list --merge-base --independent --sha1-name --no-name --topics --color? --no-color",
        ...read,
      },
      {
        commands: ["count-objects"],
        options: "-v -H --verbose --human-readable",
        operands: "none",
        reliesOnJail: "data",
      },
      {
        commands: ["check-ignore"],
        options: "-q -v -n -z --quiet --verbose --non-matching --no-index --stdin",
        ...read,
      },
      { commands: ["check-attr"], options: "-a -z --all --cached --stdin --source:", ...read },
      { commands: ["check-mailmap"], options: "--stdin", operands: "text", reliesOnJail: "data" },
      {
        commands: ["check-ref-format"],
        options: "--branch --allow-onelevel --no-allow-onelevel --normalize --refspec-pattern",
        operands: "text",
      },
      { commands: ["cherry"], options: "-v --abbrev?", ...read },
      {
        commands: ["range-diff"],
        options: `${DIFF} --no-dual-color --creation-factor# --left-only --right-only --notes? --no-notes`,
        ...read,
      },
      {
        commands: ["var"],
        options: "-l",
        operands: "text",
        operandForm: "^GIT_(AUTHOR_IDENT|COMMITTER_IDENT|DEFAULT_BRANCH)$",
        minOperands: 1,
        reliesOnJail: "data",
      },
      { commands: ["version"], options: "--build-options", operands: "none" },
      {
        commands: ["branch"],
        options: `${REFS} -a -r -v -q -vv --all --remotes --verbose --show-current --list --abbrev? --no-abbrev`,
        operands: "none",
        reliesOnJail: "data",
      },
      {
        commands: ["branch"],
        options: `${REFS} -a -r -v -l --all --remotes --verbose --list --abbrev? --no-abbrev`,
        ...read,
        // A word behind these is a pattern or a commit; without them it is a branch to make.
        requires: ["-l", "--list", "--contains", "--no-contains", "--points-at", "--merged", "--no-merged"],
      },
      { commands: ["tag"], options: `${REFS} -n? -l --list`, operands: "none", reliesOnJail: "data" },
      {
        commands: ["tag"],
        options: `${REFS} -n? -l --list`,
        ...read,
        requires: ["-n", "-l", "--list", "--contains", "--no-contains", "--points-at", "--merged", "--no-merged"],
      },
      { commands: ["remote"], options: "-v --verbose", operands: "none", reliesOnJail: "data" },
      { commands: ["remote get-url"], options: "--push --all", operands: "text", reliesOnJail: "data" },
      // Without -n it asks the other machine.
      { commands: ["remote show"], options: "-n", operands: "text", requires: ["-n"], reliesOnJail: "data" },
      { commands: ["remote show"], options: "", operands: "none", reliesOnJail: "data" },
      { commands: ["stash list"], options: `${DIFF} ${COMMITS} ${LOOKS}`, dashNumber: true, ...read },
      { commands: ["stash show"], options: `${DIFF} --include-untracked --only-untracked`, ...read },
      { commands: ["worktree list"], options: "-v -z --porcelain --verbose", operands: "none", reliesOnJail: "data" },
      {
        commands: ["submodule", "submodule status"],
        runs: SUBMODULE_RUNS,
        options: "--cached --recursive",
        ...read,
        operandForm: "^(?!-|add$|init$|update$|deinit$|set-|sync$|foreach$|absorbgitdirs$)",
      },
      { commands: ["submodule summary"], runs: SUBMODULE_RUNS, options: "--cached --files -n#", ...read },
      {
        commands: ["notes list", "notes show", "notes"],
        options: "",
        ...read,
        maxOperands: 1,
        operandForm: "^(?!add$|copy$|append$|edit$|merge$|remove$|prune$)",
      },
      {
        commands: ["fsck"],
        options:
          "-v --full --no-full --strict --no-dangling --dangling --unreachable --connectivity-only --no-progress --progress --root --tags --cache --no-reflogs --verbose",
        ...read,
      },
      { commands: ["bisect log"], options: "", operands: "none", reliesOnJail: "data" },
      {
        commands: ["bundle verify", "bundle list-heads"],
        options: "-q --quiet",
        operands: "paths",
        reliesOnJail: "data",
      },
      { commands: ["sparse-checkout list"], options: "", operands: "none", reliesOnJail: "data" },
      {
        commands: ["lfs ls-files", "lfs status", "lfs env"],
        options: "-l -s -n --long --size --name-only --json --porcelain",
        operands: "none",
        reliesOnJail: "data",
      },
      {
        commands: ["config"],
        options:
          "--get --get-all --get-urlmatch --list -l --show-origin --show-scope --name-only -z --null --local --global --system --worktree --type: --bool --int --path --default: --includes --no-includes",
        operands: "text",
        // What may hold a login or a token is not shown.
        operandForm:
          "^(user|core|remote|branch|init|push|pull|merge|rebase|commit|diff|color|fetch|submodule|i18n|log|status|format|rerere|tag|column|gui|advice|feature|extensions|receive|safe|gc|index|alias|help)\\.[\\w./-]*$",
        maxOperands: 1,
        minOperands: 1,
        requires: ["--get", "--get-all"],
        reliesOnJail: "data",
      },
      {
        commands: ["config get"],
        options: "--all --show-origin --show-scope --local --type: --bool --int --default:",
        operands: "text",
        operandForm:
          "^(user|core|remote|branch|init|push|pull|merge|rebase|commit|diff|color|fetch|submodule|format|tag|safe|alias)\\.[\\w./-]*$",
        reliesOnJail: "data",
      },
      {
        commands: ["symbolic-ref"],
        options: "-q --short --quiet --recurse --no-recurse",
        operands: "text",
        maxOperands: 1,
        minOperands: 1,
        reliesOnJail: "data",
      },
      {
        commands: ["config"],
        options: "--get-regexp --show-origin --show-scope --name-only --local --global -z",
        operands: "text",
        operandForm:
          "^\\^?(user|core|remote|branch|init|push|pull|merge|diff|color|alias|submodule|fetch|commit)(\\\\?\\.[\\w.*\\\\-]*)?\\$?$",
        maxOperands: 1,
        minOperands: 1,
        requires: ["--get-regexp"],
        reliesOnJail: "data",
      },
      {
        // One name and no value is a read as well.
        commands: ["config"],
        options: "--local --show-origin --show-scope --type: --bool --int --path",
        operands: "text",
        operandForm: "^(user|core|remote|branch|init|push|pull|commit|diff|fetch|format)\\.[\\w./-]+$",
        maxOperands: 1,
        minOperands: 1,
        reliesOnJail: "data",
      },
      {
        commands: ["config", "config list"],
        options: "-l --list --local --worktree --show-origin --show-scope --name-only -z",
        operands: "none",
        reliesOnJail: "data",
        requires: ["-l", "--list", "--name-only"],
      },
      {
        commands: ["help"],
        options: "-a -g -c --all --guides --config",
        operands: "none",
        requires: ["-a", "-g", "-c", "--all", "--guides", "--config"],
      },
    ],
    examples: {
      safe: [
        "git status",
        "git status --short --branch",
        "git -C packages/core status -s",
        "git log --oneline -20",
        "git log --grep='drop table'",
        "git log -S 'rm -rf' --oneline",
        "git log --since='2 weeks ago' --stat -- src",
        "git log --pretty=format:'%h %an %s' main..HEAD",
        "git diff HEAD~3 -- src",
        "git diff --cached --name-only",
        "git show HEAD:src/main.rs",
        "git blame -L 10,30 src/app.py",
        "git branch -a",
        "git branch --contains abc123",
        "git tag --list 'v1.*'",
        "git tag -l",
        "git remote -v",
        "git remote get-url origin",
        "git rev-parse --abbrev-ref HEAD",
        "git rev-parse --show-toplevel",
        "git ls-files '*.ts'",
        "git stash list",
        "git config --get user.email",
        "git config user.name",
        "git shortlog -sn --all",
        "git reflog -n 10",
        "git merge-base main HEAD",
        "git cat-file -p HEAD",
        "git worktree list",
        "git describe --tags --always",
        "git --no-pager diff --stat",
        "git --version",
        "git branch --merged main",
        "git tag -n3 'v2.*'",
        "git symbolic-ref --short HEAD",
        "git config --get-regexp '^branch\\.'",
        "git config --list",
        "git fsck --no-dangling",
        "git grep -n parseArgs -- src",
      ],
      notSafe: [
        "git commit -m x",
        "git log --output=x",
        "git log --outp x",
        "git diff --ext-diff",
        "git diff --no-index a /etc/shadow",
        "git grep -O x",
        "git grep --open-files-in-pager=sh x",
        "git grep -f list",
        "git -c core.pager=x log",
        "git -p log",
        "git --git-dir=/tmp/x status",
        "git branch new-topic",
        "git branch -D x",
        "git branch -m a b",
        "git tag v1",
        "git tag -d v1",
        "git remote add up https://x.io/r",
        "git remote show origin",
        "git stash",
        "git stash pop",
        "git reflog expire --all",
        "git config user.name Bot",
        "git config --get credential.helper",
        "git config --global user.email x",
        "git config --edit",
        "git symbolic-ref HEAD refs/heads/x",
        "git config --get-regexp credential",
        "git tag -a v1 -n3 x",
        "git submodule foreach 'touch x'",
        "git worktree add ../x",
        "git show HEAD:.env",
        "git diff -- .env",
        "git blame ~/.ssh/id_rsa",
        "git log $x",
        "git $x",
        "git foo",
        "git bisect run ./x",
        "git notes add -m x",
        "git help push",
        "git push --help",
        "git fetch --upload-pack=x",
        "git ls-remote ext::sh",
      ],
    },
  },
];
