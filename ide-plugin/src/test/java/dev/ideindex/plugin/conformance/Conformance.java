package dev.ideindex.plugin.conformance;

import dev.ideindex.plugin.spi.ClassFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Holds the plugin and its stubs against real classes of the platform.
 *
 * <p>{@code Conformance PLUGIN_CLASSES STUB_CLASSES stubs.toml [--write] NAME=CLASSPATH…}: the plugin may link only to members
 * that {@code stubs.toml} lists; each member must be in exactly the class sets that the list says, with the same descriptor,
 * and be static, and its class an interface, as the stub says; who is in no set must have evidence. A set that is not given is not
 * looked at.
 */
public final class Conformance {
    private static final List<String> FOREIGN = List.of("com/intellij/", "org/jetbrains/", "kotlin/");

    private final Map<String, ClassFile> plugin;
    private final Map<String, ClassFile> stubs;
    private final Map<String, ClassSet> sets = new LinkedHashMap<>();
    private final List<String> faults = new ArrayList<>();
    private int held;

    private Conformance(Path plugin, Path stubs) throws IOException {
        this.plugin = read(plugin);
        this.stubs = read(stubs);
    }

    public static void main(String[] arguments) throws IOException {
        Conformance conformance = new Conformance(Path.of(arguments[0]), Path.of(arguments[1]));
        Path list = Path.of(arguments[2]);
        boolean write = arguments.length > 3 && arguments[3].equals("--write");
        for (int i = write ? 4 : 3; i < arguments.length; i++) {
            String[] set = arguments[i].split("=", 2);
            conformance.sets.put(set[0], new ClassSet(set[1]));
        }
        Evidence evidence = Evidence.read(list);
        if (write) {
            conformance.write(evidence, list);
        }
        conformance.check(evidence);
        conformance.faults.forEach(fault -> System.out.println("FAILED " + fault));
        System.out.println(conformance.held + " passed, " + conformance.faults.size() + " failed, 0 skipped");
        System.exit(conformance.faults.isEmpty() ? 0 : 1);
    }

    private static Map<String, ClassFile> read(Path folder) throws IOException {
        Map<String, ClassFile> classes = new TreeMap<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : (Iterable<Path>) files.filter(f -> f.toString().endsWith(".class")).sorted()::iterator) {
                ClassFile read = new ClassFile(Files.readAllBytes(file));
                classes.put(read.name(), read);
            }
        }
        return classes;
    }

    /** Everything of the platform that the plugin links to: {@code a/b/C} or {@code a/b/C.name descriptor}. */
    private TreeSet<String> used() {
        TreeSet<String> used = new TreeSet<>();
        for (ClassFile own : plugin.values()) {
            own.classes().stream().filter(Conformance::isForeign).forEach(used::add);
            for (ClassFile.Member member : own.members()) {
                if (isForeign(member.owner())) {
                    used.add(member.owner() + "." + member.name() + " " + member.descriptor());
                }
            }
        }
        return used;
    }

    private static boolean isForeign(String name) {
        return FOREIGN.stream().anyMatch(name::startsWith);
    }

    private void check(Evidence evidence) throws IOException {
        TreeSet<String> used = used();
        for (String entry : used) {
            hold(evidence.has(entry), "the plugin links to " + entry + ", which stubs.toml does not list");
        }
        for (String entry : evidence.entries()) {
            hold(used.contains(entry), "stubs.toml lists " + entry + ", which nothing uses");
            boolean shown = !evidence.seen(entry).isEmpty() || !evidence.source(entry).isEmpty();
            hold(shown, entry + " is in no class set and has no evidence");
            List<String> said = new ArrayList<>(evidence.seen(entry));
            said.retainAll(sets.keySet());
            hold(seen(entry).equals(said), entry + " is in " + seen(entry) + ", stubs.toml says " + said);
        }
        for (ClassFile stub : stubs.values()) {
            for (Map.Entry<String, ClassSet> set : sets.entrySet()) {
                compare(stub, set.getKey(), set.getValue());
            }
        }
    }

    private void hold(boolean holds, String fault) {
        if (holds) {
            held++;
        } else {
            faults.add(fault);
        }
    }

    /** The sets that have the class or the member. */
    private List<String> seen(String entry) throws IOException {
        List<String> seen = new ArrayList<>();
        for (Map.Entry<String, ClassSet> set : sets.entrySet()) {
            if (set.getValue().has(entry)) {
                seen.add(set.getKey());
            }
        }
        return seen;
    }

    /** A stub is an interface where the class is one, its members are static where those of the class are. */
    private void compare(ClassFile stub, String name, ClassSet set) throws IOException {
        ClassFile real = set.find(stub.name());
        if (real == null) {
            return;
        }
        hold(real.isInterface() == stub.isInterface(), name + ": " + stub.name() + " is an interface in one of both only");
        for (ClassFile.Declared member : stub.declared()) {
            ClassFile.Declared other = set.member(stub.name(), member.name(), member.descriptor());
            if (other != null) {
                boolean same = (other.access() & 8) == (member.access() & 8);
                hold(same, name + ": " + stub.name() + "." + member.name() + " is static in one of both only");
            }
        }
    }

    private void write(Evidence evidence, Path list) throws IOException {
        Map<String, List<String>> seen = new TreeMap<>();
        for (String entry : used()) {
            seen.put(entry, seen(entry));
        }
        evidence.rewrite(seen, list);
    }
}
