package com.intellij.util.containers;

public class MultiMap<K, V> {
    public MultiMap() { throw new AssertionError(); }
    public final java.util.Collection<V> values() { throw new AssertionError(); }
}
