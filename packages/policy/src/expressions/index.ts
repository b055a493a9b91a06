export { changeDirectory, doubtDirectory, loseDirectory } from "./change-directory.ts";
export { judgeAssignment, setVariable, unclearValue } from "./judge-assignment.ts";
export { judgeOpenCommandWord } from "./judge-command-word.ts";
export { judgeRedirect, readStdin } from "./judge-redirect.ts";
export { judgeTest, judgeTestCommand, TEST_UNCLEAR } from "./judge-test.ts";
