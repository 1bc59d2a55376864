// A reporter of node:test that writes a value a line for each test.
const around = [];
// What each file wrote to standard error: why it could not be loaded.
const said = new Map();
const MAX_SAID = 20_000;

export default async function* (source) {
  for await (const { type, data } of source) {
    if (type === "test:start") {
      around.length = data.nesting;
      around.push(data.name);
    }
    if (type === "test:stderr") {
      said.set(data.file, ((said.get(data.file) ?? "") + data.message).slice(-MAX_SAID));
    }
    if ((type !== "test:pass" && type !== "test:fail")) continue;
    const error = data.details?.error;
    if (data.details?.type === "suite" && error?.failureType !== "hookFailed") continue;
    // A test that only holds others fails with them.
    if (error?.failureType === "subtestsFailed") continue;
    const cause = error?.cause ?? error;
    // Anything can be thrown, and a value may have no text: a reporter that throws loses all that comes behind.
    const own = typeof cause === "object" && cause !== null ? cause : {};
    const word = (value) => {
      if (value === undefined || typeof value === "string") return value;
      try {
        return JSON.stringify(value) ?? String(value);
      } catch {
        return undefined;
      }
    };
    const failed = type === "test:fail";
    let message = String(own.message ?? word(cause) ?? "it failed");
    let stack = String(own.stack ?? "");
    let name = data.name;
    if (failed && data.nesting === 0 && data.file !== undefined && (name === data.file || data.file.endsWith(`/${name}`))) {
      // The file itself.
      name = data.file.split(/[\\/]/).at(-1);
      stack = said.get(data.file) ?? stack;
      message = stack.match(/^\w*Error\b.*$/m)?.[0] ?? message;
    }
    const status = data.skip !== undefined || data.todo !== undefined ? "skipped" : type === "test:pass" ? "passed" : "failed";
    const suites = around.slice(0, data.nesting).filter((name) => !name.endsWith(data.file ?? "\0"));
    yield JSON.stringify({
      name,
      suites,
      selector: [...suites, data.name].join(" "),
      status,
      ms: data.details?.duration_ms,
      file: data.file,
      line: data.line,
      message: failed ? message : undefined,
      expected: failed && "expected" in own ? word(own.expected) : undefined,
      actual: failed && "actual" in own ? word(own.actual) : undefined,
      stack: failed ? stack : undefined,
    }) + "\n";
  }
}
