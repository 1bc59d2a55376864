package com.intellij.openapi.util;

public class Key<T> {
    protected Key() { throw new AssertionError(); }
}
