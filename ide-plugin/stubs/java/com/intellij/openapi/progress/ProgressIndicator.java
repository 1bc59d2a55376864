package com.intellij.openapi.progress;

public interface ProgressIndicator {
    void cancel();
    void checkCanceled() throws com.intellij.openapi.progress.ProcessCanceledException;
    boolean isCanceled();
}
