package dev.ideindex.plugin.spi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Code as words: enough to give each operation an answer of its form that depends on the files. */
final class FakeCode {
    private static final Pattern DECLARED = Pattern.compile("(class|interface|record|enum|def|function|fun|fn|int|void)\\s+$");
    private static final Pattern FUNCTION = Pattern.compile("(?:def|function|int|void)\\s+(\\w+)\\s*\\(");
    private static final Pattern WORD = Pattern.compile("[\\w$]+");
    private static final Pattern NOTE = Pattern.compile("(?://|#) ?FIXME[^\\n]*");

    private FakeCode() {}

    /** A word at a place with its file. */
    private record Word(Path root, Path file, String text, String word, boolean isDeclared) {
        static Word at(Arguments arguments) throws HostException, IOException {
            Path file = Paths.get(arguments.text("path"));
            String text = Files.readString(file);
            int line = arguments.number("line");
            int column = arguments.number("column") - 1;
            int start = 0;
            for (int i = 1; i < line; i++) {
                start = text.indexOf('\n', start) + 1;
                if (start == 0) {
                    throw new HostException(HostException.STALE, "there is no such line");
                }
            }
            Matcher matcher = WORD.matcher(text);
            for (int from = start; matcher.find(from); from = matcher.end()) {
                if (matcher.start() > start + column) {
                    break;
                }
                if (matcher.end() >= start + column) {
                    boolean isDeclared = DECLARED.matcher(text.substring(0, matcher.start())).find();
                    return new Word(Paths.get(arguments.text("project")), file, text, matcher.group(), isDeclared);
                }
            }
            throw new HostException(HostException.NO_SYMBOL, "there is no word");
        }
    }

    static Map<String, Object> places(Arguments arguments) throws HostException, IOException {
        String relation = arguments.text("relation");
        Word word = Word.at(arguments);
        List<Object> places = new ArrayList<>();
        for (Path file : files(word.root)) {
            String text = Files.readString(file);
            Matcher matcher = same(word.word, text);
            while (matcher.find()) {
                boolean isDeclared = DECLARED.matcher(text.substring(0, matcher.start())).find();
                boolean isWanted = switch (relation) {
                    case "definition" -> isDeclared;
                    case "references" -> !isDeclared;
                    case "implementations", "superMethods" -> isDeclared && !(file.equals(word.file) && word.isDeclared);
                    default -> false;
                };
                if (isWanted) {
                    places.add(place(file, text, matcher.start(), matcher.end()));
                }
            }
            if (relation.equals("subtypes")) {
                Matcher sub = Pattern.compile("class (\\w+)[^{]*(extends|implements) [^{]*\\b" + Pattern.quote(word.word) + "\\b")
                        .matcher(text);
                while (sub.find()) {
                    places.add(place(file, text, sub.start(1), sub.end(1)));
                }
            }
            if (relation.equals("supertypes")) {
                Matcher up = Pattern.compile("class " + Pattern.quote(word.word) + "\\b[^{]*(?:extends|implements) (\\w+)")
                        .matcher(word.text);
                if (up.find()) {
                    Matcher declared = Pattern.compile("(?:class|interface) (" + up.group(1) + ")\\b").matcher(text);
                    while (declared.find()) {
                        places.add(place(file, text, declared.start(1), declared.end(1)));
                    }
                }
            }
        }
        return Map.of("places", places, "cut", false);
    }

    /** Callers: the functions with the word and a parenthesis in them. Callees: nothing that it knows. */
    static Map<String, Object> calls(Arguments arguments) throws HostException, IOException {
        Word word = Word.at(arguments);
        Map<String, Map<String, Object>> calls = new LinkedHashMap<>();
        for (Path file : arguments.flag("incoming") ? files(word.root) : List.<Path>of()) {
            String text = Files.readString(file);
            Matcher matcher = Pattern.compile("(?<![\\w$])" + Pattern.quote(word.word) + "(?=\\()").matcher(text);
            while (matcher.find()) {
                Matcher function = FUNCTION.matcher(text.substring(0, matcher.start()));
                int start = -1;
                int end = -1;
                while (function.find()) {
                    start = function.start(1);
                    end = function.end(1);
                }
                if (start < 0 || DECLARED.matcher(text.substring(0, matcher.start())).find()) {
                    continue;
                }
                Map<String, Object> declaration = place(file, text, start, end);
                String name = text.substring(start, end);
                Map<String, Object> call = calls.computeIfAbsent(file + name, key -> new LinkedHashMap<>());
                call.put("name", name);
                call.put("declaration", declaration);
                @SuppressWarnings("unchecked")
                List<Object> sites = (List<Object>) call.computeIfAbsent("sites", key -> new ArrayList<>());
                sites.add(place(file, text, matcher.start(), matcher.end()));
            }
        }
        return Map.of("calls", List.copyOf(calls.values()), "cut", false);
    }

    static Map<String, Object> search(Arguments arguments) throws HostException, IOException {
        List<Object> symbols = new ArrayList<>();
        for (Path file : files(Paths.get(arguments.text("project")))) {
            String text = Files.readString(file);
            Matcher matcher = WORD.matcher(text);
            while (matcher.find() && symbols.size() < arguments.number("limit")) {
                String word = matcher.group();
                if (word.toLowerCase().contains(arguments.text("pattern").toLowerCase())
                        && DECLARED.matcher(text.substring(0, matcher.start())).find()) {
                    symbols.add(Map.of("name", word, "place", place(file, text, matcher.start(), matcher.end())));
                }
            }
        }
        return Map.of("symbols", symbols, "cut", false);
    }

    static Map<String, Object> describe(Arguments arguments) throws HostException, IOException {
        return Map.of("markdown", "```\n" + Word.at(arguments).word + "\n```\nA word.");
    }

    /** Notes that somebody left, and a pair of brackets that never closes. */
    static Map<String, Object> diagnostics(Arguments arguments) throws HostException {
        Path file = Paths.get(arguments.text("path"));
        String text = arguments.text("text");
        List<Object> found = new ArrayList<>();
        Matcher matcher = NOTE.matcher(text);
        while (matcher.find()) {
            found.add(Map.of("place", place(file, text, matcher.start(), matcher.end()), "severity", "weakWarning",
                    "code", "LeftNote", "message", "a note is left", "source", "notes"));
        }
        return Map.of("diagnostics", found);
    }

    static Map<String, Object> fixes(Arguments arguments) throws HostException, IOException {
        Path file = Paths.get(arguments.text("path"));
        String text = Files.readString(file);
        List<Object> fixes = new ArrayList<>();
        Matcher matcher = NOTE.matcher(text);
        while (matcher.find()) {
            Map<String, Object> edit = new LinkedHashMap<>(place(file, text, matcher.start(), matcher.end()));
            if ((int) edit.get("line") == arguments.number("line")) {
                edit.remove("path");
                edit.put("text", "");
                fixes.add(Map.of("title", "Remove the note", "kind", "quickfix", "preferred", true,
                        "mends", List.of("a note is left"),
                        "edits", List.of(Map.of("path", file.toString(), "edits", List.of(edit)))));
            }
        }
        return Map.of("fixes", fixes);
    }

    static Map<String, Object> rename(Arguments arguments) throws HostException, IOException {
        Word word = Word.at(arguments);
        String name = arguments.text("newName");
        List<Object> files = new ArrayList<>();
        List<String> conflicts = new ArrayList<>();
        for (Path file : files(word.root)) {
            String text = Files.readString(file);
            if (same(name, text).find()) {
                conflicts.add("`" + name + "` stands in " + file.getFileName() + " already");
            }
            List<Object> edits = new ArrayList<>();
            Matcher matcher = same(word.word, text);
            while (matcher.find()) {
                Map<String, Object> edit = new LinkedHashMap<>(place(file, text, matcher.start(), matcher.end()));
                edit.remove("path");
                edit.put("text", name);
                edits.add(edit);
            }
            if (!edits.isEmpty()) {
                files.add(Map.of("path", file.toString(), "edits", edits));
            }
        }
        return Map.of("edits", files, "conflicts", conflicts);
    }

    /** No blanks at the ends of lines, and one line ending at the end. */
    static Map<String, Object> format(Arguments arguments) throws HostException {
        String text = arguments.text("text").replaceAll("(?m)[ \\t]+$", "").stripTrailing();
        return Map.of("text", text + "\n" + (arguments.flag("rearrange") ? "// rearranged\n" : ""));
    }

    /** Each import once. */
    static Map<String, Object> imports(Arguments arguments) throws HostException {
        LinkedHashSet<String> seen = new LinkedHashSet<>();
        StringBuilder out = new StringBuilder();
        for (String line : arguments.text("text").split("(?<=\n)")) {
            if (!line.startsWith("import ") || seen.add(line)) {
                out.append(line);
            }
        }
        return Map.of("text", out.toString());
    }

    private static Matcher same(String word, String text) {
        return Pattern.compile("(?<![\\w$])" + Pattern.quote(word) + "(?![\\w$])").matcher(text);
    }

    private static List<Path> files(Path root) throws IOException {
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
}
