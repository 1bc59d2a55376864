package boot;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;

/** A plugin that is loaded, with a copy of the library of its own. */
final class Loaded implements AutoCloseable {
    private final Drive drive;
    private final URLClassLoader loader;
    final Path copy;
    Plug plug;

    Loaded(Drive drive) throws Exception {
        this.drive = drive;
        Path folder = Files.createTempDirectory(drive.state, "native");
        copy = folder.resolve(drive.library.getFileName());
        Files.copy(drive.library, copy);
        loader = new URLClassLoader(new URL[] {drive.classes.toUri().toURL()}, Drive.class.getClassLoader());
        Class<?> type = loader.loadClass("dev.ideindex.plugin.spi.NativePlug");
        plug = (Plug) type.getConstructor(List.class).newInstance(List.of(drive.project.toString()));
        onShortThread(() -> {
            plug.load(copy.toString());
            return plug.version();
        });
    }

    /** What native code keeps for a thread goes with the thread. */
    static <T> T onShortThread(Callable<T> work) throws Exception {
        AtomicReference<T> given = new AtomicReference<>();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread thread = new Thread(() -> {
            try {
                given.set(work.call());
            } catch (Throwable t) {
                thrown.set(t);
            }
        }, "lifecycle");
        thread.start();
        thread.join();
        // A thread of Java ends a little before the thread that carried it.
        Drive.await(() -> !Drive.threads().contains("lifecycle"), "the short thread ends");
        if (thrown.get() instanceof RuntimeException e) {
            throw e;
        }
        if (thrown.get() != null) {
            throw new AssertionError(thrown.get());
        }
        return given.get();
    }

    long start() throws Exception {
        return start(drive.config());
    }

    long start(String config) throws Exception {
        return onShortThread(() -> plug.start(config));
    }

    void stop(long handle) throws Exception {
        stop(handle, 20_000);
    }

    void stop(long handle, long deadlineMillis) throws Exception {
        onShortThread(() -> {
            plug.stop(handle, deadlineMillis);
            return null;
        });
    }

    String request(long handle, String op) {
        return plug.request(handle, "{\"op\":\"" + op + "\"}");
    }

    String url(long handle) {
        return field(request(handle, "status"), "url");
    }

    static String field(String json, String name) {
        int at = json.indexOf("\"" + name + "\":\"") + name.length() + 4;
        return json.substring(at, json.indexOf('"', at));
    }

    @Override
    public void close() throws Exception {
        plug = null;
        loader.close();
        Files.deleteIfExists(copy);
    }
}
