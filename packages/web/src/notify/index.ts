export { whileOpen } from "./call-while-hidden.ts";
export { forgetPush } from "./forget-push.ts";
export { changePush, isPhone, type PushWish, pushOf, turnOff, turnOn, whyNot } from "./push.ts";
