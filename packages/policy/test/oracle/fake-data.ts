import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const FILES: Readonly<Record<string, string>> = {
  "README.md": "# Fake\n\nTODO: nothing\n",
  "CHANGELOG.md": "- 1.0\n",
  "package.json": '{"name":"fake","version":"1.0.0","scripts":{"test":"true"},"dependencies":{"a":"1"}}\n',
  "docker-compose.yml": "services:\n  web: {}\n",
  "pom.xml": "<a><b>x</b></a>\n",
  "config.conf": "BEGIN\nx\nEND\n",
  "data.csv": "a,b\n1,2\n",
  "a.csv": "1,2\n",
  "b.csv": "1,3\n",
  "a.json": '{"a":1}\n',
  "f.json": '{"a":1}\n',
  "access.log": "x y z\n",
  "logs/app.log": "ERROR one\nok\n",
  "src/index.ts": "import a from 'a';\n",
  "src/app.ts": "export {};\n",
  "src/a.ts": "const useState = 1;\n",
  "src/main.rs": "fn main() {}\n",
  "docs/guide.md": "hello\n",
  "scripts/x.sh": "echo x\n",
  a: "one\ntwo\n",
  b: "one\nthree\n",
  "a.txt": "one\n",
  "names.txt": "b\na\n",
  "words.txt": "w x\n",
  list: "a\nb\n",
  "input.txt": "foo\n",
  "notes.txt": "note\n",
  Makefile: "all:\n\ttrue\n",
};

/** A workspace with a repository, and a home with secrets that are none. Both can be written: a write is to be seen, not refused. */
export function makeFakeData(directory: string): { readonly workspace: string; readonly home: string } {
  const workspace = join(directory, "workspace");
  const home = join(directory, "home");
  for (const [name, text] of Object.entries(FILES)) put(join(workspace, name), text);
  put(join(workspace, ".env"), "FAKE=secret\n");
  put(join(home, ".ssh/id_rsa"), "fake\n");
  put(join(home, ".gitconfig"), "[user]\n\tname = Fake\n\temail = fake@example.org\n");
  symlinkSync("README.md", join(workspace, "link.md"));
  const git = (...words: string[]) => execFileSync("git", ["-C", workspace, ...words], { stdio: "ignore" });
  git("init", "-q", "-b", "main");
  git("-c", "user.name=Fake", "-c", "user.email=fake@example.org", "add", "README.md", "src", "package.json", "a");
  git("-c", "user.name=Fake", "-c", "user.email=fake@example.org", "commit", "-qm", "one");
  git("tag", "v1.0");
  // Inside, files have another owner: a git that takes that for a change writes its index when it looks.
  git("config", "core.checkStat", "minimal");
  // Inside, it is another user.
  execFileSync("chmod", ["-R", "a+rwX", directory]);
  chmodSync(directory, 0o755);
  git("update-index", "--refresh");
  return { workspace, home };
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
