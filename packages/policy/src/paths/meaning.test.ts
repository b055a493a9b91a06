import assert from "node:assert/strict";
import { test } from "node:test";
import { PROJECT_SECRETS, SECRETS } from "../catalog/secrets.ts";
import { STARTS_CODE } from "../catalog/starts-code.ts";
import { mayBePlace, placeMeaning } from "./meaning.ts";

const HOME = "/home/u";

test("a path means what the tables say", () => {
  const cases: [path: string, secret: boolean, startsCode: boolean][] = [
    ["/home/u/work/.env", true, false],
    ["/home/u/work/.ENV.local", true, false],
    ["/home/u/work/.env.example", false, false],
    ["/home/u/work/id_rsa.example", false, false],
    ["/home/u/work/client_secret.sample.json", false, false],
    ["/home/u/work/www.example.com.key", true, false],
    ["/home/u/work/tests/fixtures/key.pem", true, false],
    ["/home/u/work/.git/hooks", false, true],
    ["/home/u/work/.git/hooks/pre-commit", false, true],
    ["/home/u/work/.git/config", false, true],
    ["/home/u/work/.vscode", false, true],
    ["/home/u/.ssh/id_rsa", true, true],
    ["/home/u/work/src/main.ts", false, false],
    ["/etc/shadow", true, false],
  ];
  for (const [path, secret, startsCode] of cases) {
    assert.deepEqual(placeMeaning(path, HOME), { secret, startsCode }, path);
  }
});

test("whatever a rule covers first is found by the name it ends at", () => {
  for (const { path } of [...SECRETS, ...PROJECT_SECRETS, ...STARTS_CODE]) {
    const first = path.replace(/\/\*\*$/, "").replaceAll("*", "x");
    assert.ok(mayBePlace(first.split("/").at(-1) ?? ""), path);
    assert.ok(mayBePlace((first.split("/").at(-1) ?? "").toUpperCase()), path);
  }
  for (const name of ["main.ts", "README.md", "src", "package.json"]) assert.ok(!mayBePlace(name), name);
});
