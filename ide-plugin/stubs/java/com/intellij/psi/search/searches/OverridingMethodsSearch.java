package com.intellij.psi.search.searches;

public class OverridingMethodsSearch {
    public static com.intellij.util.Query<com.intellij.psi.PsiMethod> search(com.intellij.psi.PsiMethod a, com.intellij.psi.search.SearchScope b, boolean c) { throw new AssertionError(); }
    protected OverridingMethodsSearch() { throw new AssertionError(); }
}
