import type { VNode } from "preact";
import { Notifications } from "./notifications.tsx";
import "./notify-view.css";

/** The section of Connect by itself, for a link that leads to it. */
export default function NotifyView(): VNode {
  return (
    <div class="notify-view">
      <h1 class="heard">Notifications</h1>
      <Notifications />
    </div>
  );
}
