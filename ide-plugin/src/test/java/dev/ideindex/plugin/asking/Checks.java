package dev.ideindex.plugin.asking;

import java.util.Collection;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;

/** Runs checks one after the other and counts them; every one runs, also after one failed. */
public final class Checks {
    /** A check: it throws when something is not as it must be. */
    public interface Body {
        void run() throws Throwable;
    }

    private int passed;
    private int failed;
    private int skipped;

    public void check(String name, Body body) {
        long begun = System.nanoTime();
        try {
            body.run();
            passed++;
            System.out.println("ok     " + name + " (" + (System.nanoTime() - begun) / 1_000_000 + " ms)");
        } catch (Throwable failure) {
            failed++;
            System.out.println("FAILED " + name + ": " + failure);
            for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
                int shown = 0;
                for (StackTraceElement frame : cause.getStackTrace()) {
                    if (shown++ < 12) {
                        System.out.println("         " + frame);
                    }
                }
                if (cause.getCause() != null) {
                    System.out.println("       because of " + cause.getCause());
                }
            }
        }
        System.out.flush();
    }

    /** Says what was not looked at, and why. */
    public void skip(String name, String because) {
        skipped++;
        System.out.println("SKIPPED " + name + ": " + because);
    }

    /** The exit code; the last line is the one that the build counts by. */
    public int verdict() {
        System.out.println(passed + " passed, " + failed + " failed, " + skipped + " skipped");
        return failed == 0 ? 0 : 1;
    }

    public static void equal(Object expected, Object got) {
        if (!Objects.equals(expected, got)) {
            throw new AssertionError("expected " + expected + ", got " + got);
        }
    }

    /** As sets, both ways. */
    public static void same(Collection<String> expected, Collection<String> got) {
        Set<String> missing = new TreeSet<>(expected);
        missing.removeAll(got);
        Set<String> extra = new TreeSet<>(got);
        extra.removeAll(expected);
        if (!missing.isEmpty() || !extra.isEmpty()) {
            throw new AssertionError("missing " + missing + ", too many " + extra);
        }
    }

    public static void that(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    /** Waits for something that another thread brings about. */
    public static void eventually(String what, Callable<Boolean> holds) throws Exception {
        long end = System.nanoTime() + 20_000_000_000L;
        while (!holds.call()) {
            that(System.nanoTime() < end, "in vain waited for: " + what);
            Thread.onSpinWait();
        }
    }
}
