package dev.ideindex.plugin.spi;

import java.util.concurrent.CancellationException;

/** Everything that a host may throw, and what it must not throw. */
final class HostFaults {
    private HostFaults() {}

    /** Throws what a word names; the type parameter lets checked ones pass. */
    static <T extends Throwable> T of(String what) throws T {
        @SuppressWarnings("unchecked")
        T thrown = (T) switch (what) {
            case "runtime" -> new IllegalStateException("a fault of the host: 𝒳 ✓");
            case "silent" -> new IllegalArgumentException((String) null);
            case "error" -> new AssertionError("asserted");
            case "overflow" -> overflow();
            case "memory" -> new OutOfMemoryError("not really");
            case "cancelled" -> new CancellationException();
            case "process" -> new ProcessCanceledException();
            case "broken" -> new Broken();
            default -> new HostException(what, "thrown on purpose: 𝒳 ✓");
        };
        throw thrown;
    }

    private static Throwable overflow() {
        try {
            return new IllegalStateException("depth " + deep(0));
        } catch (StackOverflowError error) {
            return error;
        }
    }

    private static int deep(int depth) {
        return deep(depth + 1) + 1;
    }

    /** Named as the platform's own. */
    static final class ProcessCanceledException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** Throws when it is asked what it says. */
    static final class Broken extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no message either");
        }
    }
}
