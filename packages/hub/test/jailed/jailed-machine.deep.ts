import "./jailed-machine.test.ts";
