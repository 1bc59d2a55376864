package com.intellij.openapi.util;

public final class Disposer {
    public static void dispose(com.intellij.openapi.Disposable a) { throw new AssertionError(); }
    public static com.intellij.openapi.Disposable newDisposable() { throw new AssertionError(); }
    public static void register(com.intellij.openapi.Disposable a, com.intellij.openapi.Disposable b) throws com.intellij.util.IncorrectOperationException { throw new AssertionError(); }
    protected Disposer() { throw new AssertionError(); }
}
