package com.intellij.openapi.progress;

public class EmptyProgressIndicator implements com.intellij.openapi.progress.ProgressIndicator {
    public EmptyProgressIndicator() { throw new AssertionError(); }
    public final void cancel() { throw new AssertionError(); }
    public final void checkCanceled() { throw new AssertionError(); }
    public final boolean isCanceled() { throw new AssertionError(); }
}
