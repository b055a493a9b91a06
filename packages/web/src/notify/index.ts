export { forgetPush } from "./forget-push.ts";
export { whileOpen } from "./notify-while-hidden.ts";
export { changePush, isPhone, type PushWish, pushOf, turnOff, turnOn, whyNot } from "./push.ts";
