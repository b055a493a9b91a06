import * as z from "zod";

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** `providers.<name>` of `config.json`: where models are asked, and with which key. */
const providerSchema = z.strictObject({
  /** Whose format the server speaks. */
  kind: z.enum(["anthropic", "openai", "openai-compatible"]),
  /** Up to and with its version, as `https://api.openai.com/v1`. */
  baseURL: z.url({ protocol: /^https?$/ }),
  /** The variable that holds the key, in the hub's own environment. */
  keyEnv: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, "isn't a variable name")
    .optional(),
});
export type Provider = z.infer<typeof providerSchema>;

export const providersSchema = z.record(
  z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, "isn't a provider's name")
    .refine((name) => name !== "demo", "is the demo's own"),
  providerSchema,
);
export type Providers = z.infer<typeof providersSchema>;

/** Those that need no configuration. The last two are servers on this machine, at their usual ports. */
const BUILT_IN: Providers = {
  anthropic: { kind: "anthropic", baseURL: "https://api.anthropic.com/v1", keyEnv: "ANTHROPIC_API_KEY" },
  openai: { kind: "openai", baseURL: "https://api.openai.com/v1", keyEnv: "OPENAI_API_KEY" },
  ollama: { kind: "openai-compatible", baseURL: "http://127.0.0.1:11434/v1" },
  vllm: { kind: "openai-compatible", baseURL: "http://127.0.0.1:8000/v1" },
};

export function findProvider(name: string, configured: Providers): Provider | undefined {
  if (Object.hasOwn(configured, name)) return configured[name];
  return Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined;
}

/** Whether a key could be read on its way. */
export function isInClear(baseURL: string): boolean {
  const { protocol, hostname } = new URL(baseURL);
  return protocol !== "https:" && !LOOPBACK.has(hostname);
}
