import "./execd-serve.test.ts";
