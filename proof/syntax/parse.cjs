// Prints each path of a list whose file the compiler of TypeScript cannot parse.
const ts = require("typescript");
const fs = require("fs");

for (const path of fs.readFileSync(process.argv[2], "utf8").split("\n").filter(Boolean)) {
  const file = ts.createSourceFile(path, fs.readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
  if (file.parseDiagnostics.length) console.log(path);
}
