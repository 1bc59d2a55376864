package com.intellij.psi;

public interface PsiLocalVariable extends com.intellij.psi.PsiModifierListOwner, com.intellij.psi.PsiNameIdentifierOwner {
}
