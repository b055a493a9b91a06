import "./jailed-git.test.ts";
