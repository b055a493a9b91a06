import type { VNode } from "preact";
import { Notifications } from "./notifications.tsx";
import "./notify-view.css";

/** The notifications of Connect as a view of their own, for links. */
export default function NotifyView(): VNode {
  return (
    <div class="notify-view">
      <h1 class="heard">Notifications</h1>
      <Notifications />
    </div>
  );
}
