// A reporter of node:test that writes a value a line for each test.
const around = [];

export default async function* (source) {
  for await (const { type, data } of source) {
    if (type === "test:start") {
      around.length = data.nesting;
      around.push(data.name);
    }
    if ((type !== "test:pass" && type !== "test:fail") || data.details?.type === "suite") continue;
    const error = data.details?.error;
    // A test that only holds others fails with them.
    if (error?.failureType === "subtestsFailed") continue;
    const cause = error?.cause ?? error;
    const word = (value) => (value === undefined ? undefined : typeof value === "string" ? value : String(JSON.stringify(value)));
    const status = data.skip !== undefined || data.todo !== undefined ? "skipped" : type === "test:pass" ? "passed" : "failed";
    const suites = around.slice(0, data.nesting).filter((name) => !name.endsWith(data.file ?? "\0"));
    yield JSON.stringify({
      name: data.name,
      suites,
      selector: [...suites, data.name].join(" "),
      status,
      ms: data.details?.duration_ms,
      file: data.file,
      line: data.line,
      message: type === "test:fail" ? String(cause?.message ?? cause) : undefined,
      expected: type === "test:fail" && cause && "expected" in cause ? word(cause.expected) : undefined,
      actual: type === "test:fail" && cause && "actual" in cause ? word(cause.actual) : undefined,
      stack: type === "test:fail" ? String(cause?.stack ?? "") : undefined,
    }) + "\n";
  }
}
