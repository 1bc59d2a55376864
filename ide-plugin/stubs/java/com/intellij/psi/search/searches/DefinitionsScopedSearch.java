package com.intellij.psi.search.searches;

public class DefinitionsScopedSearch {
    public static com.intellij.util.Query<com.intellij.psi.PsiElement> search(com.intellij.psi.PsiElement a, com.intellij.psi.search.SearchScope b) { throw new AssertionError(); }
    protected DefinitionsScopedSearch() { throw new AssertionError(); }
}
