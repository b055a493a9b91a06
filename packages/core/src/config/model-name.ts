import * as z from "zod";

const NAME = /^([a-z0-9][a-z0-9-]{0,63})\/(\S{1,256})$/;

/** Needs no key and no network. */
export const DEMO_MODEL = "demo/offline";

/** `provider/model`; a model's own name may have slashes too. */
export const modelNameSchema = z.string().regex(NAME, "isn't provider/model");

export function splitModelName(name: string): { readonly provider: string; readonly model: string } | undefined {
  const [, provider, model] = NAME.exec(name) ?? [];
  return provider === undefined || model === undefined ? undefined : { provider, model };
}
