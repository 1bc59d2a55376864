package boot;

import static boot.Drive.expect;

import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;

/** The plugin comes and goes: its class loader is collected, its library is unmapped, nothing stays. */
final class Unloading {
    private static final int TIMES = 50;
    /** Descriptors that the JVM itself opens and closes meanwhile. */
    private static final int FLUCTUATION = 2;
    /** Memory of the JVM itself goes up and down by so much. */
    private static final int FLUCTUATION_MIB = 16;

    private final Drive drive;

    Unloading(Drive drive) {
        this.drive = drive;
    }

    String run() throws Exception {
        List<String> descriptors = List.of();
        long memory = 0;
        for (int i = 0; i < TIMES; i++) {
            Gone gone = once();
            Drive.await(() -> {
                System.gc();
                return gone.loader.get() == null;
            }, "the class loader is collected, round " + i);
            Drive.await(() -> {
                System.gc();
                return !isMapped(gone.copy);
            }, "the library is unmapped, round " + i);
            expect(Drive.ourThreads().isEmpty(), "threads are left: " + Drive.ourThreads());
            if (i == 4) {
                descriptors = descriptors();
                memory = memory();
            }
        }
        List<String> more = new ArrayList<>(descriptors());
        descriptors.forEach(more::remove);
        expect(more.size() <= FLUCTUATION, more.size() + " file descriptors more: " + more);
        long grown = (memory() - memory) >> 10;
        expect(grown < FLUCTUATION_MIB, grown + " MiB more after " + TIMES + " times");
        return TIMES + " times loaded, served and unloaded; " + more.size() + " descriptors and " + grown + " MiB more than after 5";
    }

    private record Gone(WeakReference<ClassLoader> loader, Path copy) {}

    private Gone once() throws Exception {
        try (Loaded loaded = new Loaded(drive)) {
            long handle = loaded.start();
            String url = loaded.url(handle);
            String listed = new Http(url).tool("ide_find_class", "{\"query\":\"Cart\"}");
            expect(listed.contains("Cart"), listed);
            expect(isMapped(loaded.copy), "the library is mapped");
            loaded.stop(handle);
            return new Gone(new WeakReference<>(loaded.plug.getClass().getClassLoader()), loaded.copy);
        }
    }

    private static boolean isMapped(Path library) throws Exception {
        return Files.readString(Paths.get("/proc/self/maps")).contains(library.getParent().getFileName().toString());
    }

    /** The kind or the file of every descriptor. */
    private static List<String> descriptors() throws Exception {
        List<String> kinds = new ArrayList<>();
        try (var all = Files.list(Paths.get("/proc/self/fd"))) {
            for (Path descriptor : all.toList()) {
                try {
                    kinds.add(Files.readSymbolicLink(descriptor).toString().replaceAll(":\\[\\d+\\]$", ""));
                } catch (NoSuchFileException closed) {
                    // the one that listed them
                }
            }
        }
        return kinds;
    }

    /** Resident memory in KiB. */
    static long memory() throws Exception {
        for (String line : Files.readAllLines(Paths.get("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        return 0;
    }
}
