import { type DangerPattern, danger, list } from "./danger-pattern.ts";

const DECIDING = list(
  "approve deny pending watch preview pause resume token policy serve gateway backup pair phone install uninstall service run recorder db undo restore keep preset nodes",
);
const CLAIMS = "starts what was permitted to somebody, with Countersign's own runner";
const SAYS = "decides, or changes what is decided, with Countersign's own command";

/** Commands of Countersign that decide, or change what is decided: whoever runs them for an agent lets it decide about itself. */
export const OWN_DANGERS: readonly DangerPattern[] = [
  danger({
    id: "countersign.decides",
    programs: ["countersign", "countersign.js"],
    sub: DECIDING,
    floor: true,
    kind: "credentials",
    says: SAYS,
    matches: [
      "countersign approve 3f9c2a1b",
      "countersign policy allow 'rm **'",
      "countersign --home /x token create --role approver --name me",
      "timeout 5 countersign resume",
      "countersign pair",
      "countersign service uninstall",
      "countersign undo 3f9c2a1b",
      "countersign restore a.txt",
      "countersign keep 3f9c2a1b",
      "countersign preset reads",
      "countersign nodes add build-1",
    ],
    misses: ["countersign", "countersign explain ls", "countersign exec -- npm test", "countersign --version"],
  }),
  danger({
    id: "countersign.decides-through",
    programs: list("npx bunx pnpx npm pnpm yarn bun deno node nodejs tsx ts-node"),
    form: "(^|/)countersign(\\.js|@\\S+)?$|^@countersign/cli",
    // `npm run countersign` and `npm install countersign` are npm's own words.
    and: { words: DECIDING.filter((word) => !/^(run|(un)?install)$/.test(word)) },
    floor: true,
    kind: "credentials",
    says: SAYS,
    matches: [
      "npx countersign approve 3f9c2a1b",
      "npm exec -- countersign policy allow x",
      "node packages/cli/bin/countersign.js token list",
      "npx countersign undo 3f9c2a1b",
    ],
    misses: ["npx countersign explain ls", "npm run countersign", "node countersign/serve.js"],
  }),
  danger({
    id: "countersign.connects-through",
    programs: list("npx bunx pnpx node nodejs tsx ts-node"),
    form: "(^|/)countersign(\\.js|@\\S+)?$|^@countersign/cli",
    and: { words: list("install uninstall run") },
    floor: true,
    kind: "credentials",
    says: SAYS,
    matches: ["npx countersign uninstall claude-code", "node packages/cli/bin/countersign.js install codex --print"],
    misses: ["npx countersign explain ls", "npx cowsay install"],
  }),
  danger({
    id: "countersign.claims",
    programs: ["countersign-sh", "countersign-sh.cjs"],
    floor: true,
    kind: "credentials",
    says: CLAIMS,
    matches: ["countersign-sh 3f9c2a1b", "/home/a/.countersign/hook/countersign-sh.cjs 3f9c2a1b"],
    misses: ["countersign --version"],
  }),
  danger({
    id: "countersign.claims-through",
    programs: list("npx bunx pnpx npm pnpm yarn bun deno node nodejs tsx ts-node"),
    form: "(^|/)countersign-sh(\\.cjs)?$",
    floor: true,
    kind: "credentials",
    says: CLAIMS,
    matches: ["node packages/cli/hook/countersign-sh.cjs --home /x 3f9c2a1b"],
    misses: ["node countersign-shell.js"],
  }),
];
