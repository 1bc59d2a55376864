package dev.ideindex.plugin.asking;

import dev.ideindex.plugin.spi.HostException;
import dev.ideindex.plugin.spi.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;

/** Asks a host as the native core does, and reads answers as short texts: {@code Square.java:5:14}. */
public final class Asker {
    private static final AtomicLong CALLS = new AtomicLong();

    /** What carries out operations. */
    @FunctionalInterface
    public interface Answers {
        byte[] call(long callId, String op, byte[] arguments) throws HostException;
    }

    private final Answers host;
    private final Path root;

    public Asker(Answers host, Path root) {
        this.host = host;
        this.root = root;
    }

    public static long newCall() {
        return CALLS.incrementAndGet();
    }

    public Map<?, ?> ask(String op, Object... arguments) throws HostException {
        return ask(newCall(), op, arguments);
    }

    public Map<?, ?> ask(long call, String op, Object... arguments) throws HostException {
        Map<String, Object> fields = Json.object(arguments);
        fields.put("project", root.toString());
        fields.put("deadlineMs", 20_000);
        return (Map<?, ?>) Json.parse(host.call(call, op, Json.bytes(fields)));
    }

    /** The code of the error with which an operation ends. */
    public String error(String op, Object... arguments) {
        try {
            return "answered " + ask(op, arguments);
        } catch (HostException e) {
            return e.code();
        }
    }

    /** Asks about the place in a file that {@code |} marks in the snippet. */
    public Map<?, ?> at(String op, String file, String snippet, Object... more) throws Exception {
        return ask(op, arguments(file, snippet, more));
    }

    public Object[] arguments(String file, String snippet, Object... more) throws Exception {
        String text = text(file);
        int found = text.indexOf(snippet.replace("|", ""));
        Checks.that(found >= 0, file + " has no `" + snippet + "`");
        int offset = found + snippet.indexOf('|');
        int line = (int) text.substring(0, offset).chars().filter(c -> c == '\n').count() + 1;
        int column = offset - text.lastIndexOf('\n', offset - 1);
        List<Object> all = new ArrayList<>(List.of("path", path(file), "line", line, "column", column));
        all.addAll(List.of(more));
        return all.toArray();
    }

    public TreeSet<String> related(String relation, String file, String snippet) throws Exception {
        return places(at("places", file, snippet, "relation", relation, "cap", 1000).get("places"));
    }

    public TreeSet<String> places(Object places) {
        TreeSet<String> texts = new TreeSet<>();
        for (Object place : (List<?>) places) {
            texts.add(place(place));
        }
        return texts;
    }

    public String place(Object place) {
        Map<?, ?> fields = (Map<?, ?>) place;
        String path = (String) fields.get("path");
        return path.substring(path.lastIndexOf('/') + 1) + ":" + fields.get("line") + ":" + fields.get("column");
    }

    public String path(String file) {
        return file.contains("/") ? root.resolve(file).toString() : root.resolve("src/shop").resolve(file).toString();
    }

    public String text(String file) throws Exception {
        return Files.readString(Path.of(path(file)));
    }

    public void write(String file, String text) throws Exception {
        Files.createDirectories(Path.of(path(file)).getParent());
        Files.writeString(Path.of(path(file)), text);
    }

    public boolean exists(String file) {
        return Files.exists(Path.of(path(file)));
    }
}
