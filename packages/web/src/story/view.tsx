export { default } from "../history/view.tsx";
