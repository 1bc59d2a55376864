package com.intellij.openapi.util;

public final class BuildNumber implements java.lang.Comparable<com.intellij.openapi.util.BuildNumber> {
    public java.lang.String asString() { throw new AssertionError(); }
    public int compareTo(com.intellij.openapi.util.BuildNumber a) { throw new AssertionError(); }
    public java.lang.String getProductCode() { throw new AssertionError(); }
    protected BuildNumber() { throw new AssertionError(); }
}
