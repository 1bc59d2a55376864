package com.intellij.psi.search;

public abstract class GlobalSearchScope extends com.intellij.psi.search.SearchScope {
    public static com.intellij.psi.search.GlobalSearchScope projectScope(com.intellij.openapi.project.Project a) { throw new AssertionError(); }
    protected GlobalSearchScope() { throw new AssertionError(); }
}
