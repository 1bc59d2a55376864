package com.intellij.openapi.progress;

public abstract class ProgressManager {
    public static void checkCanceled() throws com.intellij.openapi.progress.ProcessCanceledException { throw new AssertionError(); }
    public static com.intellij.openapi.progress.ProgressManager getInstance() { throw new AssertionError(); }
    public abstract void runProcess(java.lang.Runnable a, com.intellij.openapi.progress.ProgressIndicator b) throws com.intellij.openapi.progress.ProcessCanceledException;
    protected ProgressManager() { throw new AssertionError(); }
}
