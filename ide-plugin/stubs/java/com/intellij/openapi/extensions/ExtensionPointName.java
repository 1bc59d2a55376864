package com.intellij.openapi.extensions;

public final class ExtensionPointName<T> {
    public final T[] getExtensions() { throw new AssertionError(); }
    protected ExtensionPointName() { throw new AssertionError(); }
}
