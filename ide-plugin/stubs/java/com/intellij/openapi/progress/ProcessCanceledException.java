package com.intellij.openapi.progress;

public class ProcessCanceledException extends java.util.concurrent.CancellationException {
    protected ProcessCanceledException() { throw new AssertionError(); }
}
