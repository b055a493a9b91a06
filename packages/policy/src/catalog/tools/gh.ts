import type { Tool } from "./tool.ts";

/** Filters are jq, which can show the environment, so they are read. */
const FIELDS = "-q! -t: --jq! --json: --template:";
const REPO = "-R: --repo:";

/** Another host than GitHub's own would see what it is asked: as an address or as the first of three parts of a repository. */
const ELSEWHERE =
  "://(?!github\\.com(/|$))|^(-R=?|--repo=)?(?!github\\.com/)[\\w-]+\\.[\\w.-]+/[\\w.-]+/[\\w.-]+$|^(-R=?|--repo=)?git@(?!github\\.com:)";

/** Asks git which repository this is. */
const ask = { operands: "text", service: true, language: "jq", refuses: ELSEWHERE, runs: ["git"] } as const;
const bare = { ...ask, operands: "none" } as const;
/** glab's settings in `.git/glab-cli` name hosts and a pager, which a run of ours sets itself. */
const local = { reliesOnJail: "data" } as const;

const SEARCH =
  "-L# --archived? --author: --assignee: --app: --closed: --commenter: --comments: --created: --interactions: --involves: --label: --language: --limit# --locked? --match: --mentions: " +
  "--milestone: --no-assignee? --no-label? --no-milestone? --no-project? --order: --owner: --project: --reactions: --repo: -R: --sort: --state: --team-mentions: --updated: --visibility: " +
  "--include-prs? --include-forks: -B: --base: --checks: --draft? -H: --head: --merged? --merged-at: --review: --review-requested: --reviewed-by: --followers: --forks: --good-first-issues: " +
  "--help-wanted-issues: --license: --number-topics: --size: --stars: --topic: --author-date: --author-email: --author-name: --committer: --committer-date: --committer-email: --committer-name: " +
  "--hash: --merge? --parent: --tree: --extension: --filename:";

/** What a graphql query may be given; not operationName, which could choose a mutation. */
const QUERY = "query={*|query=query*|owner=*|name=*|repo=*|login=*|org=*|number=*|first=*|last=*|after=*|endCursor=*";
/** Another header could make the request a different one (`X-HTTP-Method-Override`). */
const REQUEST =
  "--cache: -H=Accept:*|accept:*|X-GitHub-Api-Version:* --header=Accept:*|accept:*|X-GitHub-Api-Version:* -i --include --paginate --slurp --silent -p: --preview:";

export const GH_TOOLS: readonly Tool[] = [
  {
    names: ["gh"],
    options: "--version --help",
    operands: "none",
    clusters: "equals",
    // Nowhere -w, --web: it opens a browser.
    uses: [
      {
        commands: ["pr list", "pr ls"],
        options: `${FIELDS} ${REPO} -a: -A: -B: -d -H: -l: -L# -S: -s: --app: --assignee: --author: --base: --draft? --head: --label: --limit# --search: --state:`,
        ...bare,
      },
      { commands: ["pr view", "issue view"], options: `${FIELDS} ${REPO} -c --comments?`, ...ask },
      { commands: ["pr status", "issue status"], options: `${FIELDS} ${REPO} -c --conflict-status?`, ...bare },
      { commands: ["pr diff"], options: `${REPO} --color: --name-only? --patch?`, ...ask },
      {
        commands: ["pr checks"],
        options: `${FIELDS} ${REPO} -i# --fail-fast? --interval# --required? --watch?`,
        ...ask,
      },
      {
        commands: ["issue list", "issue ls"],
        options: `${FIELDS} ${REPO} -a: -A: -l: -L# -m: -S: -s: --app: --assignee: --author: --label: --limit# --mention: --milestone: --search: --state: --type:`,
        ...bare,
      },
      { commands: ["issue develop"], options: `${REPO} -l --list`, ...ask, requires: ["-l", "--list"] },
      {
        commands: ["run list", "run ls"],
        options: `${FIELDS} ${REPO} -a -b: -c: -e: -L# -s: -u: -w: --all --branch: --commit: --created: --event: --limit# --status: --user: --workflow:`,
        ...bare,
      },
      {
        commands: ["run view"],
        options: `${FIELDS} ${REPO} -a# -j: -v --attempt# --exit-status --job: --log --log-failed --verbose`,
        ...ask,
      },
      { commands: ["run watch"], options: `${REPO} -i# --compact --exit-status --interval#`, ...ask },
      {
        commands: ["repo list", "repo ls"],
        options: `${FIELDS} -l: -L# --archived? --fork? --language: --limit# --no-archived? --source? --topic: --visibility:`,
        ...ask,
      },
      { commands: ["repo view"], options: `${FIELDS} -b: --branch:`, ...ask },
      {
        commands: ["repo deploy-key list", "repo autolink list", "repo autolink view"],
        options: `${FIELDS} ${REPO}`,
        ...ask,
      },
      {
        commands: ["repo license list", "repo license view", "repo gitignore list", "repo gitignore view"],
        options: "",
        ...ask,
      },
      {
        commands: ["release list", "release ls"],
        options: `${FIELDS} ${REPO} -L# -O: --exclude-drafts? --exclude-pre-releases? --limit# --order:`,
        ...bare,
      },
      { commands: ["release view"], options: `${FIELDS} ${REPO}`, ...ask },
      { commands: ["workflow list", "workflow ls"], options: `${FIELDS} ${REPO} -a -L# --all? --limit#`, ...bare },
      { commands: ["workflow view"], options: `${REPO} -r: -y --ref: --yaml?`, ...ask },
      {
        commands: ["label list", "label ls", "cache list", "cache ls"],
        options: `${FIELDS} ${REPO} -k: -L# -O: -r: -S: --key: --limit# --order: --ref: --search: --sort:`,
        ...bare,
      },
      {
        commands: ["search issues", "search prs", "search repos", "search code", "search commits"],
        options: `${FIELDS} ${SEARCH}`,
        ...ask,
      },
      { commands: ["status"], options: "-e: -o: --exclude: --org:", ...bare },
      {
        commands: ["gist list", "gist ls"],
        options: "-L# --filter: --include-content? --limit# --public? --secret?",
        ...bare,
      },
      { commands: ["gist view"], options: "-f: -r --filename: --files? --raw?", ...ask },
      {
        // Names and dates; the values of secrets can't be read back.
        commands: ["secret list", "secret ls", "variable list", "variable ls"],
        options: `${FIELDS} ${REPO} -a: -e: -o: -u --app: --env: --org: --user?`,
        ...bare,
      },
      { commands: ["variable get"], options: `${FIELDS} ${REPO} -e: -o: --env: --org:`, ...ask },
      {
        commands: ["ssh-key list", "gpg-key list", "extension list", "alias list", "org list"],
        options: "-L# --limit#",
        ...bare,
      },
      {
        commands: ["extension search"],
        options: `${FIELDS} -L# --license: --limit# --order: --owner: --sort:`,
        ...ask,
      },
      {
        commands: ["codespace list", "codespace ls", "codespace view", "codespace ports"],
        options: `${FIELDS} ${REPO} -c: -L# -o: -u: --codespace: --limit# --org: --user:`,
        ...bare,
      },
      {
        commands: ["ruleset list", "ruleset ls", "ruleset view", "ruleset check"],
        options: `${REPO} -L# -o: -p --default --limit# --org: --parents?`,
        ...ask,
      },
      {
        commands: ["project list", "project view", "project item-list", "project field-list"],
        options: "-L# -q! -t: --closed --format: --jq! --limit# --owner: --template:",
        ...ask,
      },
      // Not -t, --show-token.
      { commands: ["auth status"], options: "-a -h=github.com --active? --hostname=github.com", ...bare },
      {
        commands: ["config list"],
        options: "-h=github.com --host=github.com",
        ...bare,
      },
      {
        commands: ["config get"],
        options: "-h: --host:",
        ...ask,
        operandForm: "^(git_protocol|editor|prompt|prefer_editor_prompt|pager|browser|http_unix_socket)$",
      },
      {
        commands: ["browse"],
        options: `${REPO} -b: -c? -n --branch: --no-browser`,
        ...ask,
        requires: ["-n", "--no-browser"],
      },
      {
        commands: ["api"],
        options: `-q! -t: --jq! --template: ${REQUEST} -X=GET|HEAD --method=GET|HEAD`,
        ...ask,
        maxOperands: 1,
        minOperands: 1,
        operandForm: "^(?!.*://)(?!/?graphql$)\\S+$",
      },
      {
        // With a method that reads, the parameters go into the query. Not -F: it reads files.
        commands: ["api"],
        options: `-q! -t: --jq! --template: ${REQUEST} -X=GET|HEAD --method=GET|HEAD -f: --raw-field:`,
        ...ask,
        maxOperands: 1,
        minOperands: 1,
        operandForm: "^(?!.*://)(?!/?graphql$)\\S+$",
        requires: ["-X", "--method"],
      },
      {
        // A document of several operations needs operationName, and a query in braces is the only one of its own.
        commands: ["api graphql"],
        options: `-q! -t: --jq! --template: ${REQUEST} -f=${QUERY} -F=${QUERY} --field=${QUERY} --raw-field=${QUERY}`,
        ...bare,
        refuses: "://(?!github\\.com(/|$))|=@|operationName",
      },
      { commands: ["version", "completion"], options: "-s: --shell:", ...bare },
      { commands: ["help"], options: "", ...ask },
      {
        commands: [
          "pr create",
          "pr merge",
          "pr comment",
          "pr review",
          "pr edit",
          "issue create",
          "issue comment",
          "run rerun",
          "release create",
          ..."pr issue run repo release workflow label search api auth gist secret variable cache ruleset project org browse codespace".split(
            " ",
          ),
        ],
        options: "--help",
        ...bare,
        requires: ["--help"],
      },
    ],
    examples: {
      safe: [
        "gh pr list --state open",
        "gh pr list -R cli/cli --author @me --limit 5 --json number,title",
        "gh pr view 42 --json title,state",
        "gh pr list --json number,title --jq '.[] | select(.number > 5) | .title'",
        "gh api repos/cli/cli -q .stargazers_count",
        "gh pr view https://github.com/o/r/pull/1 --comments",
        "gh pr diff 42 --name-only",
        "gh pr checks 42 --watch",
        "gh pr status",
        "gh issue list --limit 20",
        "gh issue list --label bug --search 'sort:created-desc crash'",
        "gh issue view 7 -c",
        "gh run list --workflow ci.yml",
        "gh run list -w ci.yml -b main -L 5",
        "gh run view 123 --log-failed",
        "gh run watch 123 --exit-status",
        "gh repo view cli/cli",
        "gh repo list my-org --limit 100",
        "gh release list",
        "gh release view v1.2.3",
        "gh workflow list --all",
        "gh workflow view ci.yml --yaml",
        "gh label list",
        "gh search issues 'memory leak' --repo cli/cli --state open",
        "gh search code parseArgs --language go",
        "gh status",
        "gh search issues delete --limit 3",
        "gh gist list",
        "gh secret list",
        "gh variable list --env prod",
        "gh auth status",
        "gh config get git_protocol",
        "gh config list",
        "gh cache list",
        "gh api repos/cli/cli/pulls",
        "gh api /user -i",
        "gh api -X GET search/issues -f q='repo:cli/cli is:open' --paginate",
        "gh api repos/o/r/pulls -H 'Accept: application/vnd.github+json'",
        "gh api graphql -f query='{ viewer { login } }'",
        "gh api graphql -F owner=o -f query='query($owner: String!) { user(login: $owner) { name } }'",
        "gh --version",
        "gh pr create --help",
        "gh browse -n",
      ],
      notSafe: [
        "gh pr list --web",
        "gh pr view 42 -w",
        "gh pr create --fill",
        "gh pr merge 12 --squash",
        "gh pr checkout 12",
        "gh pr view $x",
        "gh pr list --json title --jq env",
        "gh pr list --json title -q '$ENV.GH_TOKEN'",
        "gh pr list -R evil.example/o/r",
        "gh pr list --repo=evil.example/o/r",
        "gh pr list -Revil.example/o/r",
        "gh pr view https://evil.example/o/r/pull/1",
        "gh issue comment 5 --body done",
        "gh run rerun 1",
        "gh run download 1",
        "gh run cancel 1",
        "gh repo clone o/r",
        "gh release download v1",
        "gh secret set X",
        "gh auth token",
        "gh auth status --show-token",
        "gh auth status -t",
        "gh auth login",
        "gh config get -h github.com oauth_token",
        "gh config set editor x",
        "gh api repos/o/r/issues -f title=x",
        "gh api -X POST repos/o/r/issues",
        "gh api -XPOST repos/o/r/issues",
        "gh api --method=PATCH repos/o/r",
        "gh api -X DELETE repos/o/r",
        "gh api -X GET -X POST repos/o/r",
        "gh api repos/o/r/issues --input body.json",
        "gh api -X GET search/issues -F q=@/etc/passwd",
        "gh api https://evil.example/x",
        "gh api --hostname evil.example user",
        "gh api user -H 'X-HTTP-Method-Override: DELETE'",
        "gh api graphql -f query='mutation { x }'",
        "gh api graphql -f query='query A { a } mutation B { b }' -f operationName=B",
        "gh api graphql -F query=@mutation.graphql",
        "gh api graphql --input q.json",
        "gh api user --jq env",
        "gh browse",
        "gh extension install x/y",
        "gh alias set x y",
        "gh codespace ssh",
        "gh foo",
      ],
    },
  },
  {
    names: ["glab"],
    options: "-v --version --help",
    operands: "none",
    clusters: "equals",
    uses: [
      {
        commands: ["mr list", "mr ls", "issue list", "issue ls"],
        options:
          "-R: -A -a: -c -F: -g: -l: -M -m: -P# -p# -r: -s: -t: --all? --assignee: --author: --closed? --draft? --group: --label: --merged? --milestone: --not-label: --order: --output: --page# " +
          "--per-page# --repo: --reviewer: --search: --sort: --source-branch: --state: --target-branch:",
        ...bare,
        ...local,
      },
      {
        commands: ["mr view", "issue view", "mr diff", "mr approvers", "mr issues"],
        options: "-R: -c -F: -p# -P# -s --color: --comments --output: --page# --per-page# --raw --repo: --system-logs",
        ...ask,
        ...local,
      },
      {
        commands: ["ci list", "ci status", "ci get", "ci trace", "pipeline list", "pipeline status", "pipeline ci"],
        options:
          "-b: -c -F: -l -P# -p# -R: -s: --branch: --compact --live --output: --page# --per-page# --repo: --status: --with-job-details",
        ...ask,
        ...local,
      },
      {
        commands: ["repo view", "repo list", "repo search", "release list", "release view", "label list"],
        options: "-b: -F: -g: -P# -p# -R: -s: --branch: --group: --output: --page# --per-page# --repo: --search:",
        ...ask,
        ...local,
      },
      { commands: ["auth status"], options: "", ...bare, ...local },
      {
        commands: ["api"],
        options: "-i --include --paginate --silent -X=GET|HEAD --method=GET|HEAD",
        ...ask,
        ...local,
        maxOperands: 1,
        minOperands: 1,
        operandForm: "^(?!.*://)(?!/?graphql$)\\S+$",
      },
      { commands: ["version"], options: "", ...bare, ...local },
    ],
    examples: {
      safe: [
        "glab mr list",
        "glab mr view 12 --comments",
        "glab ci status",
        "glab issue list --label bug",
        "glab api projects/1",
      ],
      notSafe: [
        "glab mr create",
        "glab mr merge 1",
        "glab mr view 1 -w",
        "glab auth status -t",
        "glab api -X POST projects/1/issues",
        "glab api projects/1 -f a=b",
        "glab api https://evil.example/x",
        "glab variable list",
        "glab mr list -R evil.example/o/r",
        "glab ci run",
      ],
    },
  },
];
