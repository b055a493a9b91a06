import * as z from "zod";
import { NotifyError } from "./notify-error.ts";
import { reachSchema, readTarget } from "./reach.ts";

const LONGEST_WAIT_S = 3_600;

const nameSchema = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, "isn't a channel's name");
const variableSchema = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, "isn't a variable name");
const shared = {
  url: z.string().max(2_048),
  reach: reachSchema.default("public"),
  /** Whether the text of dangerous commands is told, too. */
  showDangerous: z.boolean().default(false),
  /** The variable that holds what its messages are signed with; by default that is in `keys/notify-<name>.key`, and made where it isn't there. */
  secretEnv: variableSchema.optional(),
};

const channelSchema = z
  .discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("webhook"),
      ...shared,
      afterSeconds: z.int().min(0).max(LONGEST_WAIT_S).default(0),
    }),
    z.strictObject({
      kind: z.literal("ntfy"),
      ...shared,
      afterSeconds: z.int().min(0).max(LONGEST_WAIT_S).default(30),
      /** The variable that holds an access token of that server. */
      tokenEnv: variableSchema.optional(),
    }),
  ])
  .superRefine((channel, context) => {
    const problem = urlProblem(channel);
    if (problem !== undefined) context.addIssue({ code: "custom", path: ["url"], message: problem });
  });
export type ChannelConfig = z.infer<typeof channelSchema>;

/** `notify` of `config.json`. Everything is off until it is named here, web-push until a device turns it on. */
export const notifySchema = z.strictObject({
  /** Rings where `serve` runs in a terminal, unless a `watch` rings already. */
  bell: z.boolean().default(false),
  /** Notifications on the hub's own machine. */
  desktop: z
    .union([z.boolean().transform((on) => ({ on, showDangerous: false })), desktopObject()])
    .default({ on: false, showDangerous: false }),
  push: z
    .strictObject({
      reach: reachSchema.default("public"),
      /** Whom a push service writes to about this hub: `mailto:` or `https:`. */
      contact: z
        .string()
        .regex(/^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, "must begin with mailto: or https:")
        .max(256)
        .default("mailto:countersign@example.org"),
    })
    .prefault({}),
  /** Where people have the page: links in messages begin with it. */
  page: z.url({ protocol: /^https?$/ }).optional(),
  channels: z.record(nameSchema, channelSchema).default({}),
});
export type NotifyConfig = z.infer<typeof notifySchema>;

function desktopObject() {
  return z.strictObject({ on: z.boolean().default(true), showDangerous: z.boolean().default(false) });
}

function urlProblem({ kind, url, reach }: Pick<ChannelConfig, "kind" | "url" | "reach">): string | undefined {
  try {
    const { pathname } = readTarget(url, reach);
    return kind === "ntfy" && !/^\/(?:.+\/)?[A-Za-z0-9_-]{1,64}$/.test(pathname) ? "must end with a topic" : undefined;
  } catch (cause) {
    if (cause instanceof NotifyError) return cause.message;
    throw cause;
  }
}
