package com.intellij.psi.search.searches;

public class MethodReferencesSearch {
    public static com.intellij.util.Query<com.intellij.psi.PsiReference> search(com.intellij.psi.PsiMethod a, com.intellij.psi.search.SearchScope b, boolean c) { throw new AssertionError(); }
    protected MethodReferencesSearch() { throw new AssertionError(); }
}
