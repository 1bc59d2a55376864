package com.intellij.lang;

public abstract class ExpressionTypeProvider<T extends com.intellij.psi.PsiElement> {
    public abstract java.util.List<T> getExpressionsAt(com.intellij.psi.PsiElement a);
    public abstract java.lang.String getInformationHint(T a);
    protected ExpressionTypeProvider() { throw new AssertionError(); }
}
