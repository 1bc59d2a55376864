package com.intellij.openapi.application;

public abstract class ReadAction<T> {
    public static <T> com.intellij.openapi.application.NonBlockingReadAction<T> nonBlocking(java.util.concurrent.Callable<? extends T> a) { throw new AssertionError(); }
    protected ReadAction() { throw new AssertionError(); }
}
