package dev.ideindex.plugin.platform;

import com.intellij.openapi.application.Application;
import com.intellij.openapi.application.ApplicationManager;
import com.intellij.openapi.application.ModalityState;
import com.intellij.openapi.progress.ProgressIndicator;
import dev.ideindex.plugin.spi.HostException;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Runs work on the UI thread, but does not wait for a person to answer a dialog. */
public final class UiThread {
    private static final int WAITING = 0;
    private static final int RUNNING = 1;
    private static final int GIVEN_UP = 2;
    private static final long LOOK_MILLIS = 20;

    private UiThread() {}

    /**
     * Runs the body outside of any dialog.
     *
     * @throws HostException {@code modal_dialog} when the body could not begin in time, {@code cancelled} when it was called
     *     off before. Once begun it is waited for.
     */
    public static <T> T run(long patienceMillis, ProgressIndicator indicator, Callable<T> body) throws Exception {
        Application application = ApplicationManager.getApplication();
        if (application.isDispatchThread()) {
            return body.call();
        }
        if (application.isReadAccessAllowed()) {
            throw new IllegalStateException("who waits for the UI thread must hold no lock");
        }
        AtomicInteger state = new AtomicInteger(WAITING);
        AtomicReference<T> result = new AtomicReference<>();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        CountDownLatch done = new CountDownLatch(1);
        application.invokeLater(() -> {
            if (state.compareAndSet(WAITING, RUNNING)) {
                try {
                    result.set(body.call());
                } catch (Throwable e) {
                    failure.set(e);
                } finally {
                    done.countDown();
                }
            }
        }, ModalityState.defaultModalityState(), ignored -> state.get() == GIVEN_UP);
        await(done, state, patienceMillis, indicator);
        if (failure.get() instanceof Exception e) {
            throw e;
        }
        if (failure.get() != null) {
            throw (Error) failure.get();
        }
        return result.get();
    }

    private static void await(CountDownLatch done, AtomicInteger state, long patienceMillis, ProgressIndicator indicator)
            throws InterruptedException, HostException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMillis);
        while (!done.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
            if (indicator.isCanceled() && state.compareAndSet(WAITING, GIVEN_UP)) {
                throw new HostException(HostException.CANCELLED, "the call was cancelled");
            }
            if (System.nanoTime() > end && state.compareAndSet(WAITING, GIVEN_UP)) {
                throw new HostException(HostException.MODAL_DIALOG,
                        "the IDE does not answer: it is busy, or a dialog waits for an answer");
            }
        }
    }
}
