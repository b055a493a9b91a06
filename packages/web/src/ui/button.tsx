import type { ButtonHTMLAttributes, ComponentChildren, VNode } from "preact";
import "./button.css";

type Props = Omit<ButtonHTMLAttributes, "class"> & {
  /** `main`: the primary action. `danger`: removes something. `plain`: looks like text. */
  kind?: "main" | "normal" | "danger" | "plain";
  children: ComponentChildren;
};

export function Button({ kind = "normal", children, ...rest }: Props): VNode {
  return (
    <button type="button" class={`button ${kind}`} {...rest}>
      {children}
    </button>
  );
}
