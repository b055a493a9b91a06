import assert from "node:assert/strict";
import { test } from "node:test";
import { lintSource } from "@secretlint/core";
import { creator, rules } from "@secretlint/secretlint-rule-preset-recommend";
import fc from "fast-check";
import { filterSecrets } from "./filter-secrets.ts";

/**
 * What secretlint's preset finds, at least one form for each of its rules. The preset is asynchronous, knows no streams and
 * remembers every call, so it isn't what filters; it checks here that our rules find at least what it finds.
 */
const FORMS = [
  /AWS_SECRET_ACCESS_KEY=[A-Za-z0-9/+]{40}/,
  /"aws_secret_access_key" => "[A-Za-z0-9/+]{40}"/,
  /-----BEGIN (RSA|EC|DSA|OPENSSH) PRIVATE KEY-----\nMI[A-Za-z0-9+/]{200,300}\n-----END (RSA|EC|DSA|OPENSSH) PRIVATE KEY-----/,
  /https:\/\/[a-z0-9]{1,40}:x-oauth-basic@github.com\/a/,
  /\/\/registry.npmjs.org\/:_authToken=[a-z0-9-]{1,40}/,
  /npm_[A-Za-z0-9]{36}/,
  /(https?|ftp):\/\/[a-z]{3,9}:[a-zA-Z0-9_-]{8,30}@[a-z]{3,9}\.com/,
  /(xoxb|xoxp|xapp|xoxa|xoxo|xoxr)-(\d-)?[a-zA-Z0-9]{4,40}-[a-zA-Z0-9]{1,40}/,
  /https:\/\/hooks\.slack\.com\/services\/T[a-zA-Z0-9]{1,40}\/B[a-zA-Z0-9]{1,40}\/[a-zA-Z0-9]{1,40}/,
  /SG\.[A-Za-z0-9]{22}\.[A-Za-z0-9]{20}[-_][A-Za-z0-9]{22}/,
  /(shppa|shpca|shpat|shpss)_[a-zA-Z0-9]{32,64}/,
  /(ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{36}/,
  /github_pat_[A-Za-z0-9_]{82}/,
  /glpat-[A-Za-z0-9_-]{20,128}/,
  /glc_[A-Za-z0-9+/]{32,400}={0,2}/,
  /glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}/,
  /sk-(proj|svcacct|admin)-[A-Za-z0-9_-]{58}T3BlbkFJ[A-Za-z0-9_-]{58}/,
  /sk-[a-zA-Z0-9]{20}T3BlbkFJ[a-zA-Z0-9]{20}/,
  /sk-ant-api0\d-[A-Za-z0-9_-]{90,120}AA/,
  /gsk_[a-zA-Z0-9]{52}/,
  /hf_[a-zA-Z]{34}/,
  /lin_api_[a-zA-Z0-9]{40}/,
  /ntn_[0-9]{11}[A-Za-z0-9]{35}/,
  /ops_ey[A-Za-z0-9+/]{100,1000}fQ={0,2}/,
  /(mongodb(\+srv)?|mysql|postgres|postgresql):\/\/[a-z]{2,9}:[^@/\s"'<>`$%{[*….x_#-][^@/\s"'<>`$]{7,30}@[a-z]{3,9}\/db/,
  /hvs\.[A-Za-z0-9_-]{90,120}/,
  /hvb\.[A-Za-z0-9_-]{138,300}/,
  /hvr\.[A-Za-z0-9_-]{90,120}/,
  /(vcp|vci|vca|vcr|vck)_[A-Za-z0-9]{20,60}/,
  /dapi[A-Fa-f0-9]{32}(-[0-9])?/,
  /dckr_pat_[a-zA-Z0-9_-]{27}/,
  /figd_[A-Za-z0-9_-]{40,200}/,
];
/** JSON in base64, as long as a real one. */
const SERVICE_ACCOUNT = `ops_${Buffer.from(JSON.stringify({ email: "a@b.c", key: "k".repeat(89) })).toString("base64")}`;

const CONTEXTS = [
  (secret: string) => secret,
  (secret: string) => `line\nvalue: ${secret}\nnext`,
  (secret: string) => `{"a":"${secret}","b":1}`,
  (secret: string) => `curl -H '${secret}' x`,
];

async function findings(content: string, ext: string): Promise<{ ruleId: string; text: string }[]> {
  const config = { rules: [{ id: creator.meta.id, rule: creator }] };
  const source = { content, ext, filePath: `/x/file${ext}`, contentType: "text" as const };
  const { messages } = await lintSource({ source, options: { config, noPhysicFilePath: true } });
  return messages.map(({ ruleId, range: [from, to] }) => ({ ruleId, text: content.slice(from, to) }));
}

test("whatever secretlint's preset finds is gone after our filter, and each of its rules was tried", async () => {
  const tried = new Set<string>();
  const generated = FORMS.flatMap((form) =>
    fc.sample(fc.stringMatching(new RegExp(`^(?:${form.source})$`)), { numRuns: 8, seed: 5 }),
  );
  // Few long texts: secretlint keeps the time of each call for ever, and searches among them.
  for (const around of CONTEXTS) {
    const text = [...generated, SERVICE_ACCOUNT].map(around).join("\n\n");
    const filtered = filterSecrets(text);
    for (const { ruleId, text: found } of await findings(text, ".txt")) {
      tried.add(ruleId);
      const long = found.match(/[A-Za-z0-9]{16,}/g) ?? [];
      assert.deepEqual(
        long.filter((run) => filtered.includes(run)),
        [],
        ruleId,
      );
    }
    const left = (await findings(filtered, ".txt")).filter((one) => !one.text.includes("[REDACTED]"));
    assert.deepEqual(left, []);
  }
  const account = { private_key_id: "x", private_key: "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\n" };
  for (const { ruleId } of await findings(JSON.stringify(account), ".json")) tried.add(ruleId);
  assert.deepEqual(await findings(filterSecrets(JSON.stringify(account)), ".json"), []);
  const ids = rules.map((rule) => rule.meta.id).filter((id) => !id.includes("filter-comments"));
  assert.deepEqual(
    ids.filter((id) => !tried.has(id)),
    [],
  );
});
