package dev.ideindex.plugin.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code stubs.toml}: each class and member of the platform that the plugin links to, and where it was seen. */
final class Evidence {
    private static final Pattern LINE = Pattern.compile("\"([^\"]+)\" = \\{ seen = \\[([^\\]]*)\\](?:, source = \"([^\"]*)\")? \\}");

    private record Row(List<String> seen, String source) {}

    private final List<String> head = new ArrayList<>();
    private final Map<String, Row> rows = new TreeMap<>();

    static Evidence read(Path list) throws IOException {
        Evidence evidence = new Evidence();
        for (String line : Files.exists(list) ? Files.readAllLines(list) : List.<String>of()) {
            Matcher row = LINE.matcher(line);
            if (row.matches()) {
                List<String> seen = new ArrayList<>();
                for (String set : row.group(2).split(",")) {
                    if (!set.isBlank()) {
                        seen.add(set.strip().replace("\"", ""));
                    }
                }
                evidence.rows.put(row.group(1), new Row(seen, row.group(3) == null ? "" : row.group(3)));
            } else if (line.startsWith("#")) {
                evidence.head.add(line);
            } else if (!line.isBlank()) {
                throw new IOException(list + " has the line " + line);
            }
        }
        return evidence;
    }

    boolean has(String entry) {
        return rows.containsKey(entry);
    }

    Set<String> entries() {
        return rows.keySet();
    }

    List<String> seen(String entry) {
        return rows.get(entry).seen();
    }

    /** Where a person saw it; empty for what the class sets show. */
    String source(String entry) {
        return rows.get(entry).source();
    }

    /** Writes the list anew; what a person wrote stays. */
    void rewrite(Map<String, List<String>> seen, Path list) throws IOException {
        rows.keySet().retainAll(seen.keySet());
        seen.forEach((entry, sets) -> rows.put(entry, new Row(sets, has(entry) ? source(entry) : "")));
        StringBuilder out = new StringBuilder();
        head.forEach(line -> out.append(line).append('\n'));
        out.append(head.isEmpty() ? "" : "\n");
        rows.forEach((entry, row) -> {
            String sets = row.seen().isEmpty() ? "" : "\"" + String.join("\", \"", row.seen()) + "\"";
            String source = row.source().isEmpty() ? "" : ", source = \"" + row.source() + "\"";
            out.append('"').append(entry).append("\" = { seen = [").append(sets).append(']').append(source).append(" }\n");
        });
        Files.writeString(list, out);
    }
}
