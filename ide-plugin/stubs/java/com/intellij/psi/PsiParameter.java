package com.intellij.psi;

public interface PsiParameter extends com.intellij.psi.PsiModifierListOwner, com.intellij.psi.PsiNameIdentifierOwner {
}
