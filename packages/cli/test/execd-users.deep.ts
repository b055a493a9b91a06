import "./execd-users.test.ts";
