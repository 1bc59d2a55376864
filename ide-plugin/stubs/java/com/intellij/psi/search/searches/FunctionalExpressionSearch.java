package com.intellij.psi.search.searches;

public class FunctionalExpressionSearch {
    public static com.intellij.util.Query<com.intellij.psi.PsiFunctionalExpression> search(com.intellij.psi.PsiClass a, com.intellij.psi.search.SearchScope b) { throw new AssertionError(); }
    public static com.intellij.util.Query<com.intellij.psi.PsiFunctionalExpression> search(com.intellij.psi.PsiMethod a, com.intellij.psi.search.SearchScope b) { throw new AssertionError(); }
    protected FunctionalExpressionSearch() { throw new AssertionError(); }
}
