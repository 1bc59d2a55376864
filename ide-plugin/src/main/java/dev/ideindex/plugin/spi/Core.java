package dev.ideindex.plugin.spi;

import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A running native core. The library must have been loaded by {@link NativeLibrary} before.
 *
 * <p>The core starts and stops on threads of its own: what native code keeps for a thread would otherwise keep the library in
 * memory for as long as that thread lives.
 */
public final class Core implements AutoCloseable {
    private static final long STOP_MILLIS = 5000;

    private final AtomicLong handle;

    private Core(long handle) {
        this.handle = new AtomicLong(handle);
    }

    /** @throws HostException {@code internal} with the reason of the core, e.g. a port that is taken */
    public static Core start(Host host, Map<String, Object> config) throws HostException {
        return new Core(onOwnThread("start", () -> Native.start(host, Json.bytes(config))));
    }

    public static String version() throws HostException {
        return onOwnThread("version", Native::version);
    }

    /** Asks the core, e.g. {@code {"op": "status"}}. Never from the UI thread: it may take long. */
    public Map<?, ?> request(Map<String, Object> request) throws HostException {
        long running = running();
        byte[] answer;
        try {
            answer = Native.request(running, Json.bytes(request));
        } catch (RuntimeException e) {
            throw new HostException(HostException.INTERNAL, String.valueOf(e.getMessage()), e);
        }
        return Json.parse(answer) instanceof Map<?, ?> fields ? fields : Map.of();
    }

    /** Tells the core what happened. Never blocks; after the stop nothing happens. */
    public void event(Map<String, Object> event) {
        long running = handle.get();
        if (running == 0) {
            return;
        }
        try {
            Native.notifyEvent(running, Json.bytes(event));
        } catch (RuntimeException e) {
            if (handle.get() != 0) {
                throw e;
            }
        }
    }

    /** Returns when every thread of the core has ended, or its time is over. The second stop does nothing. */
    @Override
    public void close() throws HostException {
        long running = handle.getAndSet(0);
        if (running != 0) {
            onOwnThread("stop", () -> {
                Native.stop(running, STOP_MILLIS);
                return null;
            });
        }
    }

    private long running() throws HostException {
        long running = handle.get();
        if (running == 0) {
            throw new HostException(HostException.CANCELLED, "the server was stopped");
        }
        return running;
    }

    private static <T> T onOwnThread(String what, Callable<T> body) throws HostException {
        AtomicReference<T> result = new AtomicReference<>();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread thread = new Thread(() -> {
            try {
                result.set(body.call());
            } catch (Throwable e) {
                failure.set(e);
            }
        }, "ide-index " + what);
        thread.setDaemon(true);
        thread.start();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (failure.get() != null) {
            throw new HostException(HostException.INTERNAL, String.valueOf(failure.get().getMessage()), failure.get());
        }
        return result.get();
    }
}
