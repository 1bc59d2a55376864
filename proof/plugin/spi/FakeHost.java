package dev.ideindex.plugin.spi;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A host that knows code by its words, writes files, and does in any operation what a test asks it to do.
 *
 * <p>What it says of code is less than what the index knows; a test sees by it whose answer arrived.
 */
final class FakeHost implements Host {
    private final List<String> projects;
    private final Map<String, String> behaviour = new ConcurrentHashMap<>();
    private final Set<Long> cancelled = ConcurrentHashMap.newKeySet();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final AtomicLong calls = new AtomicLong();
    private final AtomicLong cancels = new AtomicLong();
    private final Map<String, AtomicLong> perOp = new ConcurrentHashMap<>();

    FakeHost(List<String> projects) {
        this.projects = projects;
    }

    void behave(String op, String what) {
        if (what == null) {
            behaviour.remove(op);
        } else {
            behaviour.put(op, what);
        }
    }

    long figure(String name) {
        return switch (name) {
            case "calls" -> calls.get();
            case "cancels" -> cancels.get();
            case "running" -> running.get();
            case "most" -> most.get();
            default -> perOp.getOrDefault(name, new AtomicLong()).get();
        };
    }

    @Override
    public byte[] call(long callId, String op, byte[] arguments) throws HostException {
        calls.incrementAndGet();
        perOp.computeIfAbsent(op, key -> new AtomicLong()).incrementAndGet();
        most.accumulateAndGet(running.incrementAndGet(), Math::max);
        try {
            String what = behaviour.getOrDefault(op, behaviour.get("*"));
            if (what != null && !op.equals("projects.list")) {
                byte[] answer = behaved(callId, what);
                if (answer != PASS) {
                    return answer;
                }
            }
            Map<String, Object> answer = answered(op, Arguments.parse(arguments));
            return Json.bytes(answer);
        } finally {
            running.decrementAndGet();
        }
    }

    @Override
    public void cancel(long callId) {
        cancels.incrementAndGet();
        cancelled.add(callId);
    }

    private static final byte[] PASS = {};

    private byte[] behaved(long callId, String what) throws HostException {
        String[] words = what.split(" ", 2);
        switch (words[0]) {
            case "throw":
                throw HostFaults.<RuntimeException>of(words[1]);
            case "null":
                return null;
            case "answer":
                return words[1].getBytes(StandardCharsets.UTF_8);
            case "slow":
                pause(Long.parseLong(words[1]));
                return PASS;
            case "sleep":
                while (!cancelled.contains(callId)) {
                    pause(2);
                }
                throw new CancellationException();
            case "deaf":
                pause(Long.parseLong(words[1]));
                throw new HostException(HostException.INTERNAL, "slept on");
            default:
                throw new HostException(HostException.INTERNAL, "no such behaviour: " + what);
        }
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Map<String, Object> answered(String op, Arguments arguments) throws HostException {
        try {
            return switch (op) {
                case "capabilities" -> Map.of("product", "Fake IDE", "version", "1", "build", "IU-1",
                        "languages", List.of("java", "kotlin", "python", "typescript", "javascript", "go", "php", "rust"),
                        "ops", List.of("capabilities", "projects.list", "index.status", "places", "search", "describe",
                                "edit.apply", "edit.undo", "edit.redo", "format", "imports", "diagnostics", "rename"));
                case "projects.list" -> Map.of("projects", projects.stream()
                        .map(path -> Map.of("name", Paths.get(path).getFileName().toString(), "path", path,
                                "roots", List.of(path), "dumb", false))
                        .toList());
                case "index.status" -> Map.of("dumb", false, "modificationCount", 1);
                case "places" -> places(arguments);
                case "edit.apply" -> FakeEdits.apply(arguments);
                case "edit.undo", "edit.redo" -> throw new HostException(HostException.CONFLICT, "another step is newer");
                case "sync" -> Map.of();
                default -> throw new HostException(HostException.UNSUPPORTED, op + " is not for a fake");
            };
        } catch (IOException e) {
            throw new HostException(HostException.INTERNAL, String.valueOf(e.getMessage()), e);
        }
    }

    /** Every word of the project that is written like the one at the place; the definition is the first of them. */
    private Map<String, Object> places(Arguments arguments) throws HostException, IOException {
        String relation = arguments.text("relation");
        Path path = Paths.get(arguments.text("path"));
        String word = wordAt(Files.readString(path), arguments.number("line"), arguments.number("column"));
        if (word == null) {
            throw new HostException(HostException.NO_SYMBOL, "there is no word");
        }
        List<Object> places = new ArrayList<>();
        if (relation.equals("definition") || relation.equals("references")) {
            boolean wantsDefinition = relation.equals("definition");
            Pattern declared = Pattern.compile("(class|interface|record|enum|def|function|fun|fn)\\s+$");
            for (Path file : files(Paths.get(arguments.text("project")))) {
                String text = Files.readString(file);
                Matcher matcher = Pattern.compile("(?<![\\w$])" + Pattern.quote(word) + "(?![\\w$])").matcher(text);
                while (matcher.find()) {
                    boolean isDeclared = declared.matcher(text.substring(0, matcher.start())).find();
                    if (isDeclared == wantsDefinition) {
                        places.add(place(file, text, matcher.start(), matcher.end()));
                    }
                }
            }
        } else {
            throw new HostException(HostException.UNSUPPORTED, relation + " is not for a fake");
        }
        return Map.of("places", places, "cut", false);
    }

    static List<Path> files(Path root) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            return all.filter(file -> file.toString().matches(".*\\.(java|kt|py|ts|js|go|php|rs)")).sorted().toList();
        }
    }

    private static Map<String, Object> place(Path file, String text, int start, int end) {
        Map<String, Object> place = new LinkedHashMap<>();
        place.put("path", file.toString());
        int line = 1;
        int begin = 0;
        for (int i = text.indexOf('\n'); i >= 0 && i < start; i = text.indexOf('\n', i + 1)) {
            line++;
            begin = i + 1;
        }
        place.put("line", line);
        place.put("column", start - begin + 1);
        place.put("endLine", line);
        place.put("endColumn", end - begin + 1);
        return place;
    }

    private static String wordAt(String text, int line, int column) {
        String[] lines = text.split("\n", -1);
        if (line > lines.length) {
            return null;
        }
        Matcher matcher = Pattern.compile("[\\w$]+").matcher(lines[line - 1]);
        while (matcher.find()) {
            if (matcher.start() <= column - 1 && column - 1 <= matcher.end()) {
                return matcher.group();
            }
        }
        return null;
    }
}
