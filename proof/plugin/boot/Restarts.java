package boot;

import static boot.Drive.expect;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Servers that start and stop one after the other, and several at once. */
final class Restarts {
    private static final int TIMES = 20;
    private static final int THREADS = 8;

    private final Drive drive;

    Restarts(Drive drive) {
        this.drive = drive;
    }

    String run() throws Exception {
        try (Loaded loaded = new Loaded(drive)) {
            for (int i = 0; i < TIMES; i++) {
                long handle = loaded.start();
                expect(loaded.request(handle, "status").contains("\"url\""), "it serves");
                loaded.stop(handle);
            }
            ExecutorService pool = Executors.newFixedThreadPool(THREADS);
            List<Future<Void>> done = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                done.add(pool.submit((Callable<Void>) () -> {
                    for (int round = 0; round < 3; round++) {
                        long handle = loaded.start();
                        loaded.request(handle, "status");
                        stopFromTwo(loaded, handle);
                    }
                    return null;
                }));
            }
            for (Future<Void> future : done) {
                future.get();
            }
            pool.shutdown();
            expect(Drive.ourThreads().isEmpty(), "threads are left: " + Drive.ourThreads());
            return TIMES + " in turn, " + 3 * THREADS + " from " + THREADS + " threads, no thread left";
        }
    }

    /** One of two stops ends the server; the other one is told that there is none. */
    private static void stopFromTwo(Loaded loaded, long handle) throws Exception {
        List<String> said = java.util.Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Thread thread = new Thread(() -> {
                try {
                    loaded.plug.stop(handle, 20_000);
                    said.add("stopped");
                } catch (RuntimeException e) {
                    said.add(e.getMessage());
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        expect(said.stream().filter("stopped"::equals).count() == 1, "one stop: " + said);
        expect(said.stream().anyMatch(text -> text.contains(String.valueOf(handle))), "one is late: " + said);
    }
}
