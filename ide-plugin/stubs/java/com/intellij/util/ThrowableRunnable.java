package com.intellij.util;

public interface ThrowableRunnable<T extends java.lang.Throwable> {
    void run() throws T;
}
