package com.intellij.psi.search.searches;

public class ClassInheritorsSearch {
    public static com.intellij.util.Query<com.intellij.psi.PsiClass> search(com.intellij.psi.PsiClass a, com.intellij.psi.search.SearchScope b, boolean c) { throw new AssertionError(); }
    protected ClassInheritorsSearch() { throw new AssertionError(); }
}
