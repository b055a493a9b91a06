import { readFileSync } from "node:fs";
import { describeProblems } from "@countersign/policy";
import { profileIdSchema } from "@countersign/protocol/proposals";
import { parseJson } from "@countersign/receipts";
import * as z from "zod";
import { StartError } from "../errors/index.ts";
import { DEMO_MODEL, modelNameSchema, splitModelName } from "./model-name.ts";
import { notifySchema } from "./notify-config.ts";
import { findProvider, providersSchema } from "./provider-config.ts";
import { limitsSchema } from "./run-limits.ts";

/** The agent that is there without any configuration. */
export const ASSISTANT = "assistant";
export const TOOL_NAMES = ["bash", "read_file", "write_file", "edit_file", "list_dir"] as const;

const agentSchema = z.looseObject({
  /** `provider/model`: the hub runs this agent itself. */
  model: modelNameSchema.optional(),
  systemPrompt: z.string().max(65_536).optional(),
  /** What it may use; all by default. */
  tools: z.array(z.enum(TOOL_NAMES)).max(TOOL_NAMES.length).optional(),
  /** How often the model is asked in one run, at the most. */
  maxTurns: z.int().min(1).max(1_000).optional(),
  workspace: z.string().startsWith("/").optional(),
  profile: profileIdSchema.optional(),
  /** Of an agent with a hook: whether we run what is allowed, in a jail, or the agent does. */
  mode: z.enum(["run", "gate"]).optional(),
  unattended: z.boolean().default(false),
});

const originSchema = z.string().max(256).refine(isHttpsOrigin, "must be https://host, without a path");

const UINT32_MAX = 2 ** 32 - 1;

/** `config.json`. Unknown keys are kept and ignored, unless they resemble a known one; these and wrong values refuse the start. */
const configShape = z.looseObject({
  tools: z
    .looseObject({
      /** Milliseconds that a command may run. */
      timeout: z.number().int().min(1).max(86_400_000).default(120_000),
      maxOutputBytes: z
        .number()
        .int()
        .min(1024)
        .max(64 * 1024 * 1024)
        .default(1024 * 1024),
      /** What a run in a jail may use of the machine. */
      limits: limitsSchema.prefault({}),
    })
    .prefault({}),
  /** Directories beside the workspace that agents may work in. */
  roots: z.array(z.string().startsWith("/", "must be an absolute path")).max(64).default([]),
  /** By the name of the agent's token; `local` is whoever uses the local socket. */
  agents: z.record(z.string(), agentSchema).default({}),
  /** Where models are asked, beside the usual places. */
  providers: providersSchema.default({}),
  /** Who runs the commands of a hub that is root (default: countersign, else nobody). */
  sandboxUser: z.string().min(1).max(64).optional(),
  receipts: z
    .looseObject({
      /** Where the ledger's checkpoints are kept as well: best on another disk. Default: `witness.jsonl` in the home. */
      witness: z.string().startsWith("/", "must be an absolute path").optional(),
      /** Where emitters of other users connect. Default: `run/recorder.sock` in the home, for this user alone. */
      socket: z.string().startsWith("/", "must be an absolute path").optional(),
      /** Who may connect there: a group's name or number. */
      group: z.union([z.string().min(1).max(64), z.int().min(0).max(UINT32_MAX)]).optional(),
      /** A recorder in a process of its own, by the socket on which it waits for this hub. Default: inside the hub. */
      recorder: z.string().startsWith("/", "must be an absolute path").optional(),
      /** Users whose word about sandboxes is taken. */
      emitters: z
        .array(z.strictObject({ uid: z.int().min(0).max(UINT32_MAX), role: z.enum(["relay", "egress"]) }))
        .max(256)
        .default([]),
    })
    .prefault({}),
  /** Who is told that something waits, beside those who look. */
  notify: notifySchema.prefault({}),
  /** How the page is reached from elsewhere. */
  page: z
    .looseObject({
      /** Addresses of a proxy that ends TLS and passes on to us, as a browser shows them. */
      origins: z.array(originSchema).max(16).default([]),
      /** An address of this machine on a private network, to listen on with a certificate from our own CA. */
      lan: z.union([z.ipv4(), z.ipv6()]).optional(),
    })
    .prefault({}),
  /** A policy over everyone's profile, by its path and the SHA-256 (hex) of its content. */
  organisation: z
    .strictObject({
      file: z.string().startsWith("/", "must be an absolute path"),
      sha256: z.string().regex(/^[0-9a-f]{64}$/, "isn't a SHA-256 in hex"),
    })
    .optional(),
});
const configSchema = configShape.superRefine(({ agents, providers }, context) => {
  for (const [name, { model }] of Object.entries(agents)) {
    const provider = model === undefined ? undefined : splitModelName(model)?.provider;
    if (provider === undefined || model === DEMO_MODEL || findProvider(provider, providers)) continue;
    context.addIssue({ code: "custom", path: ["agents", name, "model"], message: `there's no provider ${provider}` });
  }
});
export type Config = z.infer<typeof configSchema>;

function isHttpsOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === "https:" && url.origin === text;
}

export function readConfig(path: string): Config {
  const text = readIfThere(path);
  if (text === undefined) return configSchema.parse({});
  let json: unknown;
  try {
    json = parseJson(text);
  } catch (cause) {
    throw new StartError("CONFIG_INVALID", `${path} isn't valid JSON (${String(cause)}). Mend it or remove it.`, {
      cause,
    });
  }
  const reading = configSchema.safeParse(json);
  const problems = describeProblems(configSchema, json, reading.error);
  if (reading.success && problems.length === 0) return reading.data;
  throw new StartError("CONFIG_INVALID", `${path} is invalid: ${problems.slice(0, 5).join("; ")}.`);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new StartError("CONFIG_INVALID", `${path} can't be read (${String(cause)}).`, { cause });
  }
}
