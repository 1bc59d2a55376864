package dev.ideindex.plugin.ide;

import com.intellij.openapi.Disposable;
import com.intellij.openapi.application.ApplicationManager;
import com.intellij.openapi.diagnostic.Logger;
import dev.ideindex.plugin.platform.Platforms;
import dev.ideindex.plugin.psi.PsiHost;
import dev.ideindex.plugin.spi.Core;
import dev.ideindex.plugin.spi.HostException;
import dev.ideindex.plugin.spi.Json;
import dev.ideindex.plugin.spi.NativeLibrary;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The server inside of the IDE: loads the native library, starts the core, stops it with the IDE.
 *
 * <p>All of that happens on one thread of its own, one thing after the other; nothing here blocks the UI.
 */
public final class NativeService implements Disposable {
    private static final Logger LOG = Logger.getInstance(NativeService.class);
    private static final long RETRY_SECONDS = 5;
    private static final long STOP_SECONDS = 10;

    private final ScheduledExecutorService lifecycle = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread thread = new Thread(work, "ide-index lifecycle");
        thread.setDaemon(true);
        return thread;
    });
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final Set<String> open = ConcurrentHashMap.newKeySet();
    private volatile ServerState state = ServerState.starting();
    private volatile Core core;
    private boolean loaded;
    private boolean told;
    private volatile boolean begun;
    private volatile boolean disposed;

    public static NativeService getInstance() {
        return ApplicationManager.getApplication().getService(NativeService.class);
    }

    /** Starts the server unless that was done before. Returns at once. */
    public synchronized void begin() {
        if (!begun) {
            begun = true;
            lifecycle.execute(this::start);
        }
    }

    /** Tells the core of an open project now, or as soon as the core runs. Returns at once. */
    void opened(String path) {
        open.add(path);
        begin();
        event("event", "projectOpened", "path", path);
    }

    void closed(String path) {
        open.remove(path);
        event("event", "projectClosed", "path", path);
    }

    /** Stops the server and starts it with the settings of now. Returns at once. */
    public void restart() {
        lifecycle.execute(() -> {
            stop();
            told = false;
            start();
        });
    }

    /** Has everything that shows the server look again. */
    void askAgain() {
        listeners.forEach(Runnable::run);
    }

    public ServerState state() {
        return state;
    }

    /** Calls the listener, on any thread, when the state may be another one. */
    void addListener(Runnable listener, Disposable life) {
        listeners.add(listener);
        com.intellij.openapi.util.Disposer.register(life, () -> listeners.remove(listener));
    }

    /** Asks the core. Not on the UI thread. */
    public Map<?, ?> request(Object... namesAndValues) throws HostException {
        Core running = core;
        if (running == null) {
            throw new HostException(HostException.CANCELLED, "the server does not run");
        }
        return running.request(Json.object(namesAndValues));
    }

    /** Tells the core what happened; nothing while it does not run. */
    void event(Object... namesAndValues) {
        Core running = core;
        if (running != null) {
            running.event(Json.object(namesAndValues));
        }
    }

    private void start() {
        if (disposed || core != null) {
            return;
        }
        show(ServerState.starting());
        try {
            if (!loaded) {
                NativeLibrary.load(pluginFolder(), Product.nativeFolder());
                loaded = true;
            }
            PsiHost host = new PsiHost(Platforms.choose(), this::decided);
            core = Core.start(host, Product.config(pluginFolder()));
            open.forEach(path -> event("event", "projectOpened", "path", path));
            show(ServerState.running(request("op", "status")));
        } catch (HostException | RuntimeException | LinkageError e) {
            LOG.info("the server does not start", e);
            show(ServerState.failed(String.valueOf(e.getMessage())));
            if (!told) {
                told = true;
                Notices.notStarted(String.valueOf(e.getMessage()));
            }
            boolean mayPass = loaded && !disposed;
            if (mayPass) {
                lifecycle.schedule(this::start, RETRY_SECONDS, TimeUnit.SECONDS);
            }
        }
    }

    /** The folder of the plugin: the one that holds {@code lib/} with our jar. */
    private static Path pluginFolder() throws HostException {
        String name = NativeService.class.getName().replace('.', '/') + ".class";
        URL own = NativeService.class.getClassLoader().getResource(name);
        String url = own == null ? "" : own.toString();
        int end = url.indexOf("!/");
        try {
            if (url.startsWith("jar:file:") && end > 0) {
                return Path.of(new URL(url.substring("jar:".length(), end)).toURI()).getParent().getParent();
            }
        } catch (java.net.MalformedURLException | URISyntaxException | RuntimeException e) {
            throw new HostException(HostException.INTERNAL, "the plugin does not find itself in " + url, e);
        }
        throw new HostException(HostException.INTERNAL, "the plugin does not find itself in " + url);
    }

    private void decided(long id, String verdict, String content) {
        event("event", "diffVerdict", "id", id, "verdict", verdict, "content", content);
    }

    private void stop() {
        Core running = core;
        core = null;
        if (running != null) {
            try {
                running.close();
            } catch (HostException e) {
                LOG.warn("the server did not stop as it should", e);
            }
        }
        show(ServerState.stopped());
    }

    private void show(ServerState next) {
        state = next;
        listeners.forEach(Runnable::run);
    }

    /** Waits for the core to end: its threads must be gone before the class loader is. */
    @Override
    public void dispose() {
        disposed = true;
        lifecycle.execute(this::stop);
        lifecycle.shutdown();
        try {
            if (!lifecycle.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("the server did not stop in time");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
