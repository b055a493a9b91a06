import "./session-jail.test.ts";
