import type { Rule } from "./rule.ts";
import { isBareValue, isFlagValue, isLikelyValue, isPlaceholder, isQuotedValue, isValue } from "./values.ts";

/** Seed 003's names, and our own: whatever is assigned to them is a secret. */
const SEED_ANCHORS = ["_api_key=", "_token="];
const SEED_NAME = "(?<=\\b(?:anthropic|openai))(?<keep>_api_key=)|(?<=\\b(?:proj_jarvis|countersign))(?<keep>_token=)";

/** What a name ends in when it names a secret. */
const ANCHORS =
  "password passwd passphrase secret token credential credentials sessionid phpsessid _pass -pass _pwd _auth key".split(
    " ",
  );
/** Whose keys are secrets: `api_key`, not `primary_key`. */
const KEY_OF =
  "api access secret private encryption signing account auth master service deploy admin shared license".split(" ");

const SUFFIX = "(?:[_-]?(?:base|value|base64|b64|hex|prod|production|dev|staging|test|live)|[_-]?v?\\d{1,2})?";
/** What stands between the name and the value. */
const GATE = `(?<=[^y]|(?:${KEY_OF.join("|")})[_-]?key)${SUFFIX}\\\\?["'\`]?\\]?[ \\t]{0,8}(?::=|=>|[:=])(?!=)[ \\t]{0,8}`;
const BARE = "[^\\s\"'`<>(){}\\[\\],;&|\\\\]";
const FIRST = "[A-Za-z0-9+/_.~!@#%^*-]";

/** `NAME=value` in all the ways that shells, JSON, YAML, TOML, code and forms write it. The name stays. */
export const ASSIGNMENTS: readonly Rule[] = [
  {
    id: "seed-name-quoted",
    anchors: SEED_ANCHORS,
    head: `(?:${SEED_NAME})(?:"[^"\\n]{0,512}"|'[^'\\n]{0,512}')`,
    tail: "[^\\s]",
    finds: ["export OPENAI_API_KEY=«'x y'»", 'ANTHROPIC_API_KEY=«"a b"»'],
    misses: [],
  },
  {
    id: "seed-name",
    anchors: SEED_ANCHORS,
    head: `(?:${SEED_NAME})[^\\s]`,
    tail: "[^\\s]",
    finds: ["ANTHROPIC_API_KEY=«sk-ant-fake123»", "PROJ_JARVIS_TOKEN=«a;b»", "countersign_token=«short» x"],
    misses: ["OPENAI_API_KEY= x", "MY_OPENAI_API_KEY=x"],
  },
  {
    id: "npm-auth-token",
    anchors: ["_authtoken=", "_auth=", "_password="],
    head: "(?<keep>_(?:authtoken|auth|password)=)(?<value>[^$\\s\"'][^\\s]{0,64})",
    tail: "[^\\r\\n]",
    accept: (value) => !isPlaceholder(value),
    finds: ["//registry.npmjs.org/:_authToken=«abc»", "_auth=«dXNlcjpwYXNz»\nx"],
    misses: ["//registry.npmjs.org/:_authToken=${NPM_TOKEN}", "_authToken="],
  },
  {
    id: "assigned-quoted",
    anchors: ANCHORS,
    gate: GATE,
    first: '"',
    head: `(?<keep>")(?<value>(?:[^"\\\\\\n]|\\\\[^\\n]){4,512})(?<rest>")`,
    accept: isQuotedValue,
    finds: [
      '"password": "«hunter2»"',
      'DB_PASSWORD="«a\\"b1c»"',
      'apiKey: "«abcd1234»",',
      'os.environ["API_KEY"] = "«abcd»"',
    ],
    misses: [
      '"password": ""',
      '"token": "$TOKEN"',
      'password: "Your password"',
      'type="password" name="x"',
      '"token": "string"',
    ],
  },
  {
    id: "assigned-single-quoted",
    anchors: ANCHORS,
    gate: GATE,
    first: "'",
    head: `(?<keep>')(?<value>(?:[^'\\\\\\n]|\\\\[^\\n]){4,512})(?<rest>')`,
    accept: isQuotedValue,
    finds: ["'secret': '«hunter2»'", "client_secret => '«abcd1234»'", "secret_key_base: '«0f3a4b»'"],
    misses: ["password: '<password>'", "token: 'xxxx'", "grant_type: 'password'"],
  },
  {
    id: "assigned-escaped",
    anchors: ANCHORS,
    gate: GATE,
    first: "\\\\",
    head: `(?<keep>\\\\")(?<value>[^"\\\\\\n]{4,512})(?<rest>\\\\")`,
    accept: isQuotedValue,
    finds: ['"{\\"password\\":\\"«hunter2»\\"}"'],
    misses: ['"{\\"password\\":\\"\\"}"'],
  },
  {
    // A name in capitals is an environment variable's: there a sentence is a value too.
    id: "variable-quoted",
    anchors: ["PASSWORD", "PASSWD", "PASSPHRASE", "SECRET", "TOKEN", "_KEY", "_PASS", "_PWD"],
    exact: true,
    head: "(?<keep>(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|_KEY|_PASS|_PWD)=[\"'])(?<value>[^\"'\\n]{6,512})(?<rest>[\"'])",
    accept: isValue,
    finds: ['DB_PASSWORD="«correct horse battery»"', "STRIPE_KEY='«abcd efgh»'"],
    misses: ['DB_PASSWORD="$(cat f)"', "TOKEN=''"],
  },
  {
    id: "variable-key",
    anchors: ["_KEY="],
    exact: true,
    head: `(?<keep>_KEY=)(?<value>${FIRST}${BARE}{0,47}[([]?)`,
    tail: BARE,
    accept: (value) => value.length >= 12 && isLikelyValue(value),
    finds: ["MAILGUN_KEY=«abcd1234efgh5678»"],
    misses: ["SORT_KEY=name", "PRIMARY_KEY=id", "CACHE_KEY=$x"],
  },
  {
    id: "assigned-unclosed",
    anchors: ANCHORS,
    gate: GATE,
    first: "\"'",
    head: `(?<keep>["'])(?<value>[^"'\`\\s]{513})`,
    tail: "[^\"'`\\r\\n]",
    accept: isValue,
    finds: [`password = "«${"a1".repeat(300)} b»"`],
    misses: [],
  },
  {
    id: "assigned",
    anchors: ANCHORS,
    gate: GATE,
    head: `(?<=\\w=)(?<value>${FIRST}${BARE}{0,255}[([]?)`,
    tail: BARE,
    accept: isBareValue,
    finds: [
      "password=«hunter2»",
      "PGPASSWORD=«abcd» psql",
      "?access_token=«abc.def-123»&x=1",
      "--token=«abcd1234»",
      "a_secret_v2=«abcd»",
    ],
    misses: [
      "password=",
      "password=$PW",
      "password=self.password",
      "token=getToken()",
      "password=password",
      "secret=None",
      "max_tokens=4096",
      "token_type=bearer",
      "password=%s",
      "password=***",
      "PASSWORD_FILE=/run/x",
    ],
  },
  {
    id: "assigned-loosely",
    anchors: ANCHORS,
    gate: GATE,
    head: `(?<value>${FIRST}${BARE}{7,255}[([]?)`,
    tail: BARE,
    accept: isLikelyValue,
    finds: [
      "x-api-key: «abcd1234efgh»",
      "token: «abcd1234»",
      "secret = «0f3a4b5c6d»",
      "aws_secret_access_key = «wJalr/1bPx+abcd»",
    ],
    misses: [
      "password: string;",
      "const token = await read2(x)",
      "token: z.string().min(8)",
      "unexpected token: expected something",
      "let token = req.headers2.value",
      "key: abcd1234efgh",
    ],
  },
  {
    // A line of YAML: letters alone will do.
    id: "assigned-in-yaml",
    anchors: ANCHORS,
    gate: GATE,
    head: `(?<=:[ \\t]{1,4})(?<value>[a-z]{8,128})(?<rest>)(?![^\\r\\n])(?<=(?<![^\\n])[ \\t-]{0,12}[\\w.-]{0,48}:[ \\t]{1,4}[a-z]{8,128})`,
    accept: isBareValue,
    finds: ["  db_password: «correcthorse»\n"],
    misses: ["password: string", "the password: something", "password: somewhere, over"],
  },
  {
    id: "flag",
    anchors: [..."password passwd passphrase secret token api-key apikey access-key secret-key auth-token".split(" ")],
    head: `(?<=(?<![^\\s"'])--[a-z-]{0,24})(?<keep>(?:password|passwd|passphrase|secret|token|api-?key|access-key|secret-key|auth-token)[ ]["']?)(?<value>${FIRST}${BARE}{3,255})`,
    tail: BARE,
    accept: isFlagValue,
    finds: ["mysql --password «hunter» db", "x --api-key '«abcd1234»'", "--auth-token «abcd1234»"],
    misses: ["  --password string  the password", "--token TOKEN", "--token <token>", "--password --verbose"],
  },
  {
    id: "element",
    anchors: ["password>", "secret>", "token>", "apikey>", "passphrase>", "secretkey>"],
    head: "(?<keep>(?:password|secret|token|apikey|passphrase|secretkey)>)(?<value>[^<>\\s]{4,256})(?<rest></)",
    accept: isValue,
    finds: ["<password>«hunter2»</password>", "<server.apiKey>«abcd»</server.apiKey>"],
    misses: ["<password></password>", "<password>${env.PW}</password>", "Vec<Token>"],
  },
  {
    id: "pwd",
    anchors: ["pwd=", "pass="],
    head: `(?<![a-z])(?<keep>(?:pwd|pass)=)(?<value>[a-z0-9+_.~!@#%^*-]${BARE}{3,255}[([]?)`,
    tail: BARE,
    accept: isBareValue,
    finds: ["Server=x;Uid=me;Pwd=«hunter2»;", "user=me&pass=«hunter2»&x", "pass=«abcd»"],
    misses: ["PWD=/home/me", "OLDPWD=/", "bypass=true1", "pass=", "pass=self.pw"],
  },
];
