package com.intellij.psi;

public interface PsiModifierListOwner extends com.intellij.psi.PsiElement {
}
