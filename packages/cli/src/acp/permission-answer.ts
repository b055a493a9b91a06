import type { PermissionOption, RequestPermissionResponse } from "@agentclientprotocol/sdk";
import { isObject } from "../proxies/index.ts";

/** An answer gives one run: never an option that lasts. Undefined where the agent offers none that fits. */
export function allowOnce(params: unknown): RequestPermissionResponse | undefined {
  return selected(optionsOf(params).find(({ kind }) => kind === "allow_once"));
}

/** A denial is one of the agent's own ways to be told so; `cancelled` would say that the whole turn is over. */
export function rejectWith(params: unknown, words: string): RequestPermissionResponse | undefined {
  const options = optionsOf(params);
  const option =
    options.find(({ kind }) => kind === "reject_once") ?? options.find(({ kind }) => kind === "reject_always");
  const response = selected(option);
  // No field of the protocol's carries a reason; whoever looks finds it here.
  return response && { ...response, _meta: { "countersign/reason": words } };
}

export const CANCELLED: RequestPermissionResponse = { outcome: { outcome: "cancelled" } };

function selected(option: PermissionOption | undefined): RequestPermissionResponse | undefined {
  return option && { outcome: { outcome: "selected", optionId: option.optionId } };
}

function optionsOf(params: unknown): PermissionOption[] {
  const options = isObject(params) && Array.isArray(params.options) ? params.options : [];
  return options.filter((option) => isObject(option) && typeof option.optionId === "string") as PermissionOption[];
}
