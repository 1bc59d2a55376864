package com.intellij.psi;

public interface PsiNamedElement extends com.intellij.psi.PsiElement {
    java.lang.String getName();
}
