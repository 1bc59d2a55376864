package com.intellij.psi;

public interface ResolveResult {
    com.intellij.psi.PsiElement getElement();
    boolean isValidResult();
}
