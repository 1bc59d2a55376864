package com.intellij.openapi.util;

public class Pair<A, B> {
    public final A first = null;
    public final B second = null;
    protected Pair() { throw new AssertionError(); }
}
