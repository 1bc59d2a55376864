package com.intellij.psi.search;

public abstract class SearchScope {
    protected SearchScope() { throw new AssertionError(); }
}
