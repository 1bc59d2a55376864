package com.intellij.psi;

public interface PsiReference {
    com.intellij.psi.PsiElement getElement();
    com.intellij.openapi.util.TextRange getRangeInElement();
    default java.lang.Object[] getVariants() { throw new AssertionError(); }
    com.intellij.psi.PsiElement resolve();
}
