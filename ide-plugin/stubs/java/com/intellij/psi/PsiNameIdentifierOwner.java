package com.intellij.psi;

public interface PsiNameIdentifierOwner extends com.intellij.psi.PsiNamedElement {
    com.intellij.psi.PsiElement getNameIdentifier();
}
