export { InboxView } from "./inbox-view.tsx";
