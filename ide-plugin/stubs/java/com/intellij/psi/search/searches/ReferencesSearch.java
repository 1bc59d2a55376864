package com.intellij.psi.search.searches;

public class ReferencesSearch {
    public static com.intellij.util.Query<com.intellij.psi.PsiReference> search(com.intellij.psi.PsiElement a, com.intellij.psi.search.SearchScope b, boolean c) { throw new AssertionError(); }
    protected ReferencesSearch() { throw new AssertionError(); }
}
