package boot;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * Has a JVM load the native library as an IDE does, through a class loader of its own, and holds it against what the contract
 * promises. Usage: {@code Drive LIBRARY CLASSES PROJECT STATE [CHECK…]}, with
 * the folder of the declarations of standard libraries in the property {@code libraries}; every check prints a line that begins with
 * {@code ok} or {@code FAILED}.
 */
public final class Drive {
    final Path library;
    final Path classes;
    final Path project;
    final Path state;
    private int failed;

    private Drive(Path library, Path classes, Path project, Path state) {
        this.library = library;
        this.classes = classes;
        this.project = project;
        this.state = state;
    }

    public static void main(String[] args) throws Exception {
        Drive drive = new Drive(Paths.get(args[0]), Paths.get(args[1]), Paths.get(args[2]), Paths.get(args[3]));
        List<String> wanted = List.of(args).subList(4, args.length);
        drive.check(wanted, "functions", () -> new Functions(drive).run());
        drive.check(wanted, "serve", drive::serve);
        drive.check(wanted, "steered", () -> new Steered(drive).run());
        drive.check(wanted, "restarts", () -> new Restarts(drive).run());
        drive.check(wanted, "unloading", () -> new Unloading(drive).run());
        System.out.flush();
        // The checks have seen that nothing of ours is left; what this JVM runs itself is no concern of theirs.
        Runtime.getRuntime().halt(drive.failed == 0 ? 0 : 1);
    }

    private void check(List<String> wanted, String name, Callable<String> check) {
        if (!wanted.isEmpty() && !wanted.contains(name)) {
            return;
        }
        long begun = System.nanoTime();
        try {
            String said = check.call();
            long millis = (System.nanoTime() - begun) / 1_000_000;
            System.out.println("ok " + name + ": " + said + " (" + millis + " ms)");
        } catch (Throwable thrown) {
            failed++;
            System.out.println("FAILED " + name + ": " + thrown);
            thrown.printStackTrace();
        }
    }

    /** Serves until somebody writes a line to standard input. */
    private String serve() throws Exception {
        try (Loaded loaded = new Loaded(this)) {
            long handle = loaded.start();
            System.out.println("serving " + loaded.request(handle, "status"));
            System.out.flush();
            new BufferedReader(new InputStreamReader(System.in)).readLine();
            String said = loaded.plug.figure("calls") + " calls of the host, " + loaded.plug.figure("most") + " at once, "
                    + loaded.plug.figure("places") + " of places, " + loaded.plug.figure("edit.apply") + " of edit.apply";
            loaded.stop(handle);
            expect(loaded.plug.figure("running") == 0, "a call of the host runs on");
            return said;
        }
    }

    String config() throws Exception {
        Path here = Files.createTempDirectory(state, "run");
        return "{\"product\":\"IU\",\"productName\":\"Fake\",\"version\":\"1\",\"build\":\"IU-1\",\"host\":\"127.0.0.1\",\"port\":0,"
                + "\"stateDir\":" + quoted(here.resolve("state").toString()) + ",\"cacheDir\":"
                + quoted(here.resolve("cache").toString()) + ",\"librariesDir\":"
                + quoted(System.getProperty("libraries")) + "}";
    }

    static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < 0x20) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }

    static void expect(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    /** The message of the exception that a call ends with. */
    static String thrownBy(Callable<?> call) {
        try {
            Object said = call.call();
            throw new AssertionError("nothing was thrown, but given " + said);
        } catch (RuntimeException thrown) {
            return String.valueOf(thrown.getMessage());
        } catch (Exception thrown) {
            throw new AssertionError(thrown);
        }
    }

    /** Waits for something that another thread does; never longer than half a minute. */
    static void await(Callable<Boolean> condition, String what) throws Exception {
        long until = System.nanoTime() + 30_000_000_000L;
        while (!condition.call()) {
            expect(System.nanoTime() < until, what);
            Thread.sleep(1);
        }
    }

    /** The names of the native threads of this process that are ours. */
    static List<String> ourThreads() throws Exception {
        List<String> ours = List.of("watchdog", "history", "dashboard", "provider");
        return threads().stream().filter(name -> name.startsWith("ide-") || ours.contains(name)).toList();
    }

    static List<String> threads() throws Exception {
        List<String> names = new ArrayList<>();
        Path tasks = Paths.get("/proc/self/task");
        if (!Files.isDirectory(tasks)) {
            return names;
        }
        try (var all = Files.list(tasks)) {
            for (Path task : all.toList()) {
                try {
                    names.add(Files.readString(task.resolve("comm")).trim());
                } catch (java.io.IOException gone) {
                    // it ended meanwhile
                }
            }
        }
        return names;
    }
}
